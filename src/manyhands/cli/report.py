"""`manyhands report`: the files of a campaign's folder, made anew."""

from __future__ import annotations

from manyhands.api.remaking import remake
from manyhands.cli.options import CampaignFolder, Json
from manyhands.cli.run import shown_status
from manyhands.cli.usage import UsageError
from manyhands.model.malformed import Malformed
from manyhands.model.records import SchemaRefused
from manyhands.runtime.journal import JournalDamaged

EXAMPLE = "manyhands report slab"


def report(
    folder: CampaignFolder,
    as_json: Json = False,
) -> int:
    """Write result.json, pictures and report.html again, also of a campaign that still runs."""
    try:
        result = remake(folder)
    except (JournalDamaged, SchemaRefused, Malformed) as fault:
        raise UsageError(f"{folder}: {fault}") from fault
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror or error})") from error
    shown_status(result, as_json)
    return 0
