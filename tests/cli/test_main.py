from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand as package
from evenhand.cli.main import MEANT, VERBS, say_unforeseen
from waiting import LONG


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a program of its own, its output piped."""
    command = [sys.executable, "-m", "evenhand", *words]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", check=False
    )


def test_help_names_every_verb_whole(evenhand):
    text = evenhand("--help").out
    assert [verb for verb in VERBS if f"\n  {verb} " not in text] == []
    assert "..." not in text.split("Read and rank:")[1]
    assert len(text.splitlines()) <= 40


@pytest.mark.parametrize("word", MEANT)
def test_a_word_of_the_field_leads_to_a_verb(evenhand, word):
    assert f"Try: evenhand {MEANT[word]}" in evenhand(word, "votes.csv", code=2).err
    assert MEANT[word].split()[0] in VERBS


def test_no_words_at_all_are_a_question(evenhand):
    assert evenhand().out == evenhand("--help").out


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_fits_80_columns_and_shows_examples(evenhand, verb):
    text = evenhand(verb, "--help").out
    assert max(map(len, text.splitlines())) <= 80
    assert f"    evenhand {verb}" in text


def test_an_option_is_spelled_the_same_under_every_verb(evenhand):
    for option in ("--task", "--where", "--from", "--column", "--weight"):
        for verb in ("inspect", "rank", "fit", "convert"):
            assert f" {option} " in evenhand(verb, "--help").out, (verb, option)


def test_the_version_is_the_package_s(evenhand):
    assert evenhand("--version").out == f"evenhand {package.__version__}\n"


def test_a_program_of_its_own_prints_plain_text_into_a_pipe(table1):
    ran = run("rank", table1)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\x1b" not in ran.stdout
    assert "●" in ran.stdout


def test_a_refusal_of_a_program_of_its_own_is_one_line_and_exit_code_2(folder):
    ran = run("rank", "nowhere.csv")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "error  there is no file 'nowhere.csv'\n"


def test_a_stream_that_lacks_signs_gets_others(table1, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    ran = run("fit", table1)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "(log-worth = 2l)" in ran.stdout
    assert "-o-" in run("rank", table1).stdout


def test_a_reader_who_has_seen_enough_gets_no_traceback(table1):
    command = [sys.executable, "-m", "evenhand", "rank", table1, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait()


def test_an_interrupt_ends_quietly_with_130(evenhand, table1, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("evenhand.formats.reading.read", interrupt)
    ran = evenhand("rank", table1, code=130)
    assert (ran.out, ran.err) == ("", "")


def test_an_interrupt_of_the_engine_ends_the_same_way(evenhand, table1, monkeypatch):
    def interrupt(*_, **__):
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("evenhand.formats.reading.read", interrupt)
    assert evenhand("rank", table1, code=130).err == ""


def test_a_fault_of_our_own_is_one_line_unless_asked(capsys, monkeypatch):
    fault = ZeroDivisionError("division by zero")
    with pytest.raises(SystemExit, match="70"):
        say_unforeseen(ZeroDivisionError, fault, None)
    said = capsys.readouterr().err
    assert said.startswith("error  internal error in Evenhand: ZeroDivisionError: ")
    assert "Traceback" not in said
    monkeypatch.setenv("EVENHAND_TRACEBACK", "1")
    try:
        raise fault
    except ZeroDivisionError:
        with pytest.raises(SystemExit, match="70"):
            say_unforeseen(*sys.exc_info())
    assert "Traceback" in capsys.readouterr().err
    say_unforeseen(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert capsys.readouterr().err == ""


def test_a_file_instead_of_a_verb_is_understood(evenhand, table1):
    assert f"Try: evenhand rank {table1}" in evenhand(table1, code=2).err


def test_help_is_there_before_anything_is_read(evenhand):
    assert not Path("table1.csv").exists()
    assert evenhand("rank", "table1.csv", "--help").out.startswith("Usage: evenhand rank")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["--json"], [], ["-o", "/dev/full"]])
def test_a_full_disk_is_one_line_and_exit_code_2(table1, words):
    command = [sys.executable, "-m", "evenhand", "rank", table1, *words]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=LONG
        )
    named = "'/dev/full'" if "-o" in words else "output"
    assert ran.stderr == f"error  {named} cannot be written: no space left on device\n"
    assert ran.returncode == 2


@pytest.mark.parametrize(
    ("typed", "completed"), [("evenhand ra", "rank"), ("evenhand rank --ti", "--ties")]
)
def test_a_shell_completes_verbs_and_options(typed, completed) -> None:
    """The variable of docs/cli.md, and those that click's function for bash sets."""
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run(
        [str(Path(sys.executable).with_name("evenhand"))],
        env={**os.environ, "_EVENHAND_COMPLETE": "bash_complete", **words},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"plain,{completed}\n"
