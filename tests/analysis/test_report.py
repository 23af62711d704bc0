"""The page of a real campaign: well-formed, alone, and true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import manyhands as mh
from manyhands.analysis.accounting import Answered, books_of
from manyhands.analysis.methods import FOR_THE_AUTHOR
from manyhands.analysis.names import names_of
from manyhands.api.campaign import Wishes
from manyhands.api.reporting import read_journal
from manyhands.runtime.folder import Folder
from tests.analysis import pages, tallied

SECTIONS = [
    "Answer",
    "Question and end",
    "Job flow",
    "How the answer came about",
    "Who did what",
    "What went wrong",
    "Where the samples went",
    "Methods",
]
REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "result-folder.md"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> mh.Result:
    path = tmp_path_factory.mktemp("done") / "run"
    until = mh.precision("number", relative=0.005)
    return mh.run(tallied.every_form, until, pilots=2, out=path, seed=1, exact=True)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> mh.Result:
    path = tmp_path_factory.mktemp("failed") / "run"
    wishes: Wishes = {"exact": True, "block_samples": 100, "seed": 4}
    return mh.run(tallied.failing, 1000, pilots=2, out=path, **wishes)


def test_it_is_well_formed_and_refers_to_nothing(done: mh.Result, failed: mh.Result) -> None:
    for result in (done, failed):
        assert not result.unwritten
        told = pages.read(result.folder / "report.html")
        assert not told.faults
        assert told.headings == SECTIONS
        assert all(one.startswith("data:image/png;base64,") for one in told.references)
        assert not {"script", "link", "iframe"} & set(told.tags)
        text = (result.folder / "report.html").read_text(encoding="utf-8")
        assert not re.search(r"https?://|@import|url\(", text)


def test_it_has_the_answer_and_every_picture(done: mh.Result) -> None:
    told = pages.read(done.folder / "report.html")
    drawn = ["profile", "spectrum", "image", "volume", "added"]
    assert f"{done.samples:,} samples" in told.text
    assert "value ± 1 standard error (k=1)" in told.text
    assert told.tags.count("img") == len(drawn)
    assert sorted(path.stem for path in done.folder.glob("*.png")) == sorted(drawn)
    for name in done.tallies:
        assert name in told.text


def test_names_and_messages_are_escaped(done: mh.Result, failed: mh.Result) -> None:
    text = (done.folder / "report.html").read_text(encoding="utf-8")
    assert tallied.ODD not in text
    assert "&lt;b&gt;x&amp;&quot;y&quot;" in text
    assert "no &lt;photons&gt; &amp; no money" in (failed.folder / "report.html").read_text()


def test_a_failed_campaign_says_how_to_see_it_again(failed: mh.Result) -> None:
    told = pages.read(failed.folder / "report.html")
    assert failed.ended == "failed"
    assert "The campaign failed." in told.text
    assert f"manyhands rerun {failed.folder} --block 2" in told.text
    assert re.search(r"application crashed on block 2 \(seed 4\), \d+ times:", told.text)
    assert "RuntimeError: no <photons> & no money" in told.text


def test_no_sample_goes_missing_in_the_books(done: mh.Result) -> None:
    read = read_journal(Folder(done.folder))
    books = books_of(read.story, read.state, Answered(done.samples, 0))
    account = books.account
    assert account.simulated >= account.stored >= account.merged == done.samples
    assert account.simulated == account.merged + account.lost + account.refused + account.spare
    assert sum(one.samples for one in books.pilots) >= done.samples
    assert 0 < books.use.busy_s <= books.use.there_s
    assert books.use.working_s == pytest.approx(done.seconds, abs=2.0)


def test_methods_say_the_same_as_data_and_as_text(done: mh.Result) -> None:
    plain = json.loads((done.folder / "methods.json").read_text(encoding="utf-8"))
    assert plain["samples"]["merged"] == done.samples
    assert plain["random_numbers"]["seed"] == 1
    assert plain["uncertainty"]["tallies"]["number"]["k"] == 1
    assert plain["uncertainty"]["tallies"]["batch"]["batches"] == done["batch"].batches
    assert plain["to_be_filled_in_by_the_author"] == list(FOR_THE_AUTHOR)
    assert plain["mode"]["numeric_class"]
    assert plain["hardware"]["processor"]
    told = pages.read(done.folder / "report.html").text
    for paragraph in plain["text"].split("\n\n"):
        assert paragraph in told
    assert f"The result holds {done.samples:,} samples" in plain["text"]
    assert "one standard error (k=1)" in plain["text"]


def test_the_reference_page_names_every_key(done: mh.Result) -> None:
    parts = re.split(r"^## (\S+)$", REFERENCE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = {
        title: set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    result = json.loads((done.folder / "result.json").read_text(encoding="utf-8"))
    of_tallies = {key for one in result["tallies"].values() for key in one}
    assert named["result.json"] == set(result) | of_tallies | {"unwritten", "parts"}
    methods = json.loads((done.folder / "methods.json").read_text(encoding="utf-8"))
    assert named["methods.json"] == set(methods)


def test_result_json_says_what_files_and_arrays_are_called(done: mh.Result) -> None:
    plain = json.loads((done.folder / "result.json").read_text(encoding="utf-8"))["tallies"]
    assert plain["spectrum"]["archive"] == "result.npz: spectrum, spectrum_error, spectrum_edges"
    assert plain["image"]["file"] == names_of(done.tallies)["image"].file
    assert plain["number"]["value"] == done["number"].value


def test_a_notebook_shows_numbers_and_a_picture(done: mh.Result) -> None:
    shown = done._repr_html_()
    reader = pages.Reader()
    reader.feed(shown)
    assert not reader.told.faults
    assert not reader.told.open
    assert reader.told.tags.count("img") == 1
    assert tallied.ODD in reader.told.text


def test_a_result_plots_its_first_array_or_the_one_that_is_named(done: mh.Result) -> None:
    first = next(name for name, one in done.tallies.items() if not isinstance(one.value, float))
    assert done.plot().get_suptitle().startswith(first)
    assert done.plot("number").get_suptitle().startswith("number")
    with pytest.raises(ValueError, match="no tally 'dose': there are"):
        done.plot("dose")


@pytest.mark.slow
def test_what_was_left_out_is_said_everywhere(tmp_path: Path) -> None:
    wishes: Wishes = {"exact": True, "block_samples": 100, "seed": 4, "skip_poisoned": 1}
    result = mh.run(tallied.failing, 1000, pilots=2, out=tmp_path, **wishes)
    assert (result.ended, result.samples, result.skipped) == ("done", 900, 100)
    assert "100 samples (10 %) of poisoned blocks are not in it" in str(result)
    told = pages.read(tmp_path / "report.html")
    assert "100 samples (10 %) of blocks on which the application fails everywhere" in told.text
