"""What users of Python call; `import manyhands as mh` has the names of this folder."""
