"""What exists: frozen data, validated at birth; standard library only, Python 3.9."""
