"""Files as people have them: what is read of each, or why not, and what to do then.

Every row is a file, a command, and what must be said. Where a command is refused and a remedy is
named, the command with the remedy is run as well: it must work, and say what it did.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from evenhand.cli.main import main


@dataclass(frozen=True)
class Odd:
    name: str  # of the case
    file: str  # its name; "-" is standard input
    content: str | bytes
    said: str | tuple[str, ...]  # what must be said, whatever the width of the lines
    command: str = "inspect ?"  # ? is the file
    cure: str = ""  # words that are added where the command is refused
    then: str = ""  # what must be said with them
    refused: bool = False

    def words(self) -> list[str]:
        return [self.file if word == "?" else word for word in self.command.split()]


@dataclass(frozen=True)
class Bad(Odd):
    refused: bool = True


VOTES = """judge,item,left,right,outcome
ann,1,Žofie,bob,left
ben,1,bob,Žofie,left
cy,2,bob,Žofie,tie
"""
LATIN = VOTES.replace("Žofie", "Zoé")
READ = "3 judgments, 3 judges, 2 items, 2 systems"
FEW = "judge;item;system;score\n"
SCORES = FEW + "ann;1;A;4,5\nben;1;B;3,25\n"
SCALE = "judge,item,system,score\n" + "".join(
    f"{judge},{item},{system},{1 + (at + item + ord(system)) % 5}\n"
    for at, judge in enumerate(("ann", "ben", "cy"))
    for item in (1, 2, 3)
    for system in "AB"
)
RATED = "judge,item,system,score\nann,1,A,4\nben,1,B,x\ncy,1,A,5\n"
RANKED = "ranking,system,rank\n1,A,1\n1,B,2\n1,C,third\n2,A,2\n2,B,1\n"

DA = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
DA_ROWS = [
    "H1\tM1\tcs\ten\tad\t4\tA.1\t10\tSYSTEM\t177\t0.62\t931.0",
    "H1\tM1\tcs\ten\tad\t4\tB.2\t11\tSYSTEM\t178\t-0.02\t931.0",
    "H1\tM1\tcs\ten\tad\t4\tB.2\t12\tREF\t178\t1.1\t931.0",
    "H1\tM1\tcs\ten\tad\t4\tB.2\t12\tBAD_REF\t177\t-1.9\t931.0",
    "H1\tM1\tcs\ten\tad\t4\tB.2\t12\tREPEAT\t179\t0.4\t931.0",
]
DA_FILE = DA + "\n".join(DA_ROWS) + "\n"
PAIRS = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,"
    "rankingID\n"
)
PAIR_ROWS = [
    f"cze,eng,{item},{item},judge{item},newstest2015.{a}.cs-en,{x},newstest2015.{b}.cs-en,{y},{item}"
    for item in range(1, 13)
    for a, x, b, y in (
        ("uedin", 1 + item % 3, "online-B", 3),
        ("uedin", 1 + item % 3, "jhu", 1 + item % 2),
        ("online-B", 3, "jhu", 1 + item % 2),
    )
]
PAIR_FILE = PAIRS + "\n".join(PAIR_ROWS) + "\n"
MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
MQM_ROWS = [
    "A\td\t1\t1\tr1\tone\t<v>eins</v> zwei\tAccuracy\tMajor",
    "A\td\t1\t1\tr1\tone\teins <v>zwei</v>\tFluency/Punctuation\tMinor",
    "A\td\t1\t2\tr1\ttwo\tzwei\tNo-error\tNo-error",
    "B\td\t1\t1\tr1\tone\tein\tNo-error\tNo-error",
]


def mqm(at: int, row: str) -> str:
    return MQM + "\n".join([*MQM_ROWS[:at], row, *MQM_ROWS[at + 1 :]]) + "\n"


SNOW = "!amt_annotation_ids\t!amt_worker_ids\torig_id\tresponse\tgold\n" + "".join(
    f"{10 * worker + item}\tW{worker}\t{item}\t{(item + (worker == item)) % 2}\t{item % 2}\n"
    for worker in range(4)
    for item in range(12)
)


def qags(answer: str = "yes") -> str:
    """Two summaries of two sentences, each judged by three workers."""
    return "".join(
        json.dumps(
            {
                "article": f"article {line}",
                "summary_sentences": [
                    {
                        "sentence": f"sentence {at}",
                        "responses": [
                            {"worker_id": 0, "response": "yes"},
                            {"worker_id": line, "response": "no"},
                            {"worker_id": 9, "response": answer if at == line == 1 else "yes"},
                        ],
                    }
                    for at in (1, 2)
                ],
            }
        )
        + "\n"
        for line in (1, 2)
    )


OBJECTS = [
    dict(zip(VOTES.split("\n", 1)[0].split(","), line.split(","), strict=True))
    for line in VOTES.splitlines()[1:]
]

LETTERS = (
    Odd(
        "Latin-1", "v.csv", LATIN.encode("latin-1"), "v.csv is not UTF-8 and was read as", "rank ?"
    ),
    Odd("Latin-1 counted", "v.csv", LATIN.encode("latin-1"), READ),
    Odd(
        "Windows-1252",
        "v.csv",
        VOTES.replace("Žofie", "“Z”").replace("“", "“").encode("cp1252"),
        "Latin-1 (Windows-1252)",
        "convert ? -o out.csv",
    ),
    Odd(
        "a byte of no letter",
        "v.csv",
        VOTES.replace("Žofie", "Z\x81").encode("latin-1"),
        "was read as Latin-1:",
    ),
    Odd("Latin-1 packed", "v.csv.gz", gzip.compress(LATIN.encode("latin-1")), READ),
    Odd(
        "Latin-1 in JSON",
        "v.jsonl",
        json.dumps(OBJECTS[0], ensure_ascii=False).replace("Ž", "É").encode("latin-1"),
        "1 judgment",
    ),
    Bad(
        "UTF-8 with a bad byte",
        "v.csv",
        VOTES.encode() + b"ann,3,Zo\xe9,bob,tie\n",
        "line 5 of v.csv is not UTF-8 text (byte 0xe9)",
    ),
    Odd("UTF-8 with a mark", "v.csv", VOTES.encode("utf-8-sig"), READ),
    Odd("UTF-16", "v.csv", VOTES.encode("utf-16"), (READ, "was read as UTF-16.")),
    Odd("UTF-16 without a mark", "v.csv", VOTES.encode("utf-16-le"), READ),
    Odd("UTF-16, high byte first", "v.csv", VOTES.encode("utf-16-be"), READ),
    Bad("UTF-16 cut in a letter", "v.csv", VOTES.encode("utf-16")[:-1], "is not UTF-16 text"),
    Odd("UTF-32", "v.csv", VOTES.encode("utf-32"), "v.csv was read as UTF-32."),
    Bad("zero bytes", "v.csv", VOTES.encode() + b"\0\0\0", "is not text"),
)
ENDS = (
    Odd("CR CR LF", "v.csv", VOTES.replace("\n", "\r\r\n"), READ),
    Odd("CR", "v.csv", VOTES.replace("\n", "\r"), READ),
    Odd("CR LF, then LF", "v.csv", VOTES.replace("\n", "\r\n", 2), READ),
    Odd(
        "CR CR LF of WMT's pairs",
        "wmt15.csv",
        PAIR_FILE.replace("\n", "\r\r\n"),
        "36 judgments, 12 judges, 12 items, 3 systems",
    ),
    Odd(
        "CR CR LF of MQM",
        "m.tsv",
        (MQM + "\n".join(MQM_ROWS)).replace("\n", "\r\r\n"),
        "4 rows of errors are 3 ratings",
    ),
    Odd("CR in direct assessments", "ad.csv", DA_FILE.replace("\n", "\r"), "5 ratings"),
    Odd("Latin-1 and CR CR LF", "v.csv", LATIN.replace("\n", "\r\r\n").encode("latin-1"), READ),
)
CONTAINERS = (
    Odd(
        "a list in an object",
        "v.json",
        json.dumps({"data": OBJECTS}),
        "the list 'data' of v.json was read.",
    ),
    Odd(
        "a list in an object, by where",
        "v.json",
        json.dumps({"data": OBJECTS}),
        "1 judgment",
        "inspect ? --where item=2",
    ),
    Bad(
        "two lists",
        "v.json",
        json.dumps({"train": OBJECTS, "test": OBJECTS}),
        "holds several lists, train, test",
    ),
    *(
        Bad(
            f"pandas, {orient}",
            "v.json",
            pd.DataFrame(OBJECTS).to_json(orient=orient),
            "write an object for each row, with pandas frame.to_json('rows.jsonl',"
            " orient='records', lines=True)",
        )
        for orient in ("columns", "index", "split")
    ),
    Odd("pandas, table", "v.json", pd.DataFrame(OBJECTS).to_json(orient="table"), READ),
    Odd(
        "pandas, as its refusal advises",
        "rows.jsonl",
        pd.DataFrame(OBJECTS).to_json(orient="records", lines=True),
        READ,
    ),
    Bad("an empty list", "v.json", "[]", "holds an empty list: no judgments"),
    Bad("a list of numbers", "v.json", "[1, 2]", "is a list, but not of objects"),
    Bad(
        "batches of a campaign",
        "b.json",
        json.dumps({"items": [{"sourceID": "s"}], "task": {"batchNo": 1}}),
        "what is to be judged, and no judgments yet",
    ),
    Bad(
        "half of an Arrow file",
        "v.feather",
        b"ARROW1\0\0" + b"\0" * 40,
        "v.feather is not a whole Arrow file",
    ),
)
INPUT = (
    Odd("input: CSV", "-", VOTES, f"standard input: {READ}"),
    Odd("input: ranked", "-", VOTES, "3 judgments", "rank ?"),
    Odd("input: UTF-16", "-", VOTES.encode("utf-16"), "standard input was read as UTF-16."),
    Odd("input: packed", "-", gzip.compress(VOTES.encode()), READ),
    Odd("input: JSON Lines", "-", "\n".join(map(json.dumps, OBJECTS)), READ),
    Odd("input: direct assessments", "-", DA_FILE, "standard input: 5 ratings"),
    Bad("input: nothing", "-", "", "standard input is empty", "rank ?"),
    Bad("input: twice", "-", VOTES, "standard input is given twice", "rank ? ?"),
)
SHEET = "judge,item,system,score\nann,1,A,4\nben,1,B,3\n"
TITLE = "Human evaluation of MT, spring 2026"
TITLES = (
    Odd(
        "a title above the header",
        "t.csv",
        f"{TITLE}\n{SHEET}",
        (f"what stands above the header in line 2, '{TITLE}'.", "t.csv: 2 ratings, 2 judges"),
    ),
    Odd(
        "a title with a semicolon, as each remark has",
        "t.tsv",
        "Study; 2026\njudge\titem\tsystem\tscore\tremark\n"
        "ann\t3,5\tA\t4\tgood; short\nben\t2,5\tB\t3\tbad; long\n",
        "above the header in line 2, 'Study; 2026'.",
    ),
    Odd("a title of one cell", "t.csv", f"Notes,,,\n,,,\n{SHEET}", "in line 3, 'Notes'"),
    Bad(
        "a title and a blank line",
        "t.csv",
        f"{TITLE}\n\n{SHEET}ben,2,B,x\n",
        "score 'x' in column 'score' of t.csv (line 6) is not a number",
        cure="--skip-bad-rows",
        then="line 6",
    ),
    Odd(
        "a title with a comma above tabs",
        "t.tsv",
        f"{TITLE}\n" + SHEET.replace(",", "\t"),
        "t.tsv: 2 ratings, 2 judges",
    ),
    Odd("a title below sep=", "t.csv", "sep=;\nMai\n" + SHEET.replace(",", ";"), "'Mai'"),
    Bad(
        "a header that lacks a name",
        "t.csv",
        "judge,left,right\nann,1,A,left\nben,1,B,right\n",
        "line 2 of t.csv has 4 fields where the header has 3",
    ),
)
COMMENTED = "judge;item;system;score;comment\nann;1;A;1,5;ok\nben;1;B;4,4;ok\ncy;1;A;2,5;\n"
DECIMALS = (
    Odd("decimal commas before a column", "s.csv", COMMENTED, "3 ratings, 3 judges", "rank ?"),
    Odd(
        "decimal commas between tabs",
        "s.tsv",
        COMMENTED.replace(";", "\t"),
        "a comma stands before decimals in score.",
    ),
    Odd(
        "decimal commas below a title",
        "s.csv",
        f"Mai 2026\n\n{COMMENTED}",
        "s.csv: 3 ratings, 3 judges, 1 item, 2 systems.",
    ),
    Bad(
        "per cent beside fractions",
        "s.csv",
        FEW + "ann;1;A;0.7\nben;1;B;85 %\n",
        "score '85 %' beside '0.7' in column 'score' of s.csv (line 3): per cent or fractions?"
        " Write all scores of the column alike",
    ),
    Odd(
        "semicolons and commas",
        "s.csv",
        SCORES,
        ("a comma stands before decimals in score.", "3.25 3.88 4.5"),
    ),
    Bad(
        "thousands or decimals",
        "s.csv",
        FEW + "ann;1;A;1,125\nben;1;B;2,250\n",
        "score '1,125' in column 'score' of s.csv",
        cure="--decimal ,",
        then="2 1.125 1.69 2.25",
    ),
    Bad(
        "commas in quotes",
        "s.csv",
        'judge,item,system,score\nann,1,A,"4,5"\nben,1,B,"3,5"\n',
        "score '4,5' in column 'score'",
        cure="--decimal ,",
        then="3.5 4 4.5",
    ),
    Odd(
        "a point between thousands",
        "s.csv",
        FEW + "ann;1;A;870\nben;1;B;1.290\nben;2;B;1.290,5\nann;2;A;912,5\n",
        ("a point stands between thousands in score.", "870 1,091 1290.5"),
    ),
    Odd(
        "a point between thousands, by another column",
        "s.csv",
        FEW.replace("score", "score;cost") + "ann;1.001;A;870;2,5\nben;1.001;B;1.290;3\n",
        "870 1,080 1290",
    ),
    Odd(
        "thousands or fractions",
        "s.csv",
        FEW + "ann;1;A;870\nben;1;B;1.290\n",
        "1.290 in 'score' (line 3) is read as a fraction, beside whole numbers. If it is 1290:"
        " --decimal ,",
    ),
    Odd(
        "thousands by order",
        "s.csv",
        FEW + "ann;1;A;870\nben;1;B;1.290\n",
        "870 1,080 1290",
        "inspect ? --decimal ,",
    ),
    Bad("a point by order", "s.csv", SCORES, "score '4,5'", "inspect ? --decimal ."),
    Bad(
        "commas in weights",
        "v.csv",
        "left;right;outcome;weight\nA;B;left;1,5\nB;A;left;0,5\n",
        "is a fraction",
        "rank ?",
        cure="--weights importance",
        then="2 judgments",
    ),
)
BLANKS = (
    Odd(
        "blanks around a system",
        "v.csv",
        VOTES.replace(",bob", ", bob "),
        "blanks around labels were stripped: 2 in 'left', 1 in 'right'.",
    ),
    Odd(
        "blanks around outcomes",
        "v.csv",
        VOTES.replace("left\n", " Left \n"),
        "blanks around labels were stripped: 2 in 'outcome'.",
    ),
    Odd("hard blanks", "v.csv", VOTES.replace("ann", "ann\u00a0"), "stripped: 1 in 'judge'."),
    Odd(
        "blanks around a winner",
        "v.csv",
        "left,right,winner\nred,blue,blue \nblue,red ,red\n",
        "'winner' names the winner of its row",
    ),
    Odd(
        "blanks make no second system", "v.csv", VOTES.replace("bob,left", " bob,left"), "2 systems"
    ),
    Odd(
        "blanks around ratings",
        "s.csv",
        RATED.replace("x", "3").replace("A", " A"),
        "stripped: 2 in 'system'.",
    ),
    Bad(
        "nothing but blanks",
        "v.csv",
        VOTES.replace("ann", "   "),
        "a value is missing in column 'judge' of v.csv",
        "rank ?",
    ),
)
WMT = (
    Bad(
        "a score that is none",
        "ad.csv",
        DA_FILE.replace("-1.9", "n/a"),
        "line 5 of ad.csv: a score is a number, not 'n/a'",
        cure="--skip-bad-rows",
        then="4 ratings",
    ),
    Odd("pairs of rankings", "wmt15.csv", PAIR_FILE, "ranking=rankingID, task=languages"),
    Odd(
        "pairs by ranking",
        "wmt15.csv",
        PAIR_FILE,
        "| rank sets CV3 by ranking,",
        "rank ? --cluster ranking",
    ),
    Bad(
        "a short line of direct assessments",
        "ad.csv",
        DA_FILE + "H1\tM1\n",
        "line 7 of ad.csv has 2 fields, not 12",
        cure="--skip-bad-rows",
        then="1 row that cannot be read is excluded: line 7 (2 fields, not 12)",
    ),
    Bad(
        "pairs with a word",
        "wmt15.csv",
        PAIR_FILE.replace("cs-en,3,1\n", "cs-en,x,1\n"),
        "rank 'x' in column 'system2rank' of wmt15.csv (line 2)",
        cure="--skip-bad-rows",
        then="35 judgments",
    ),
    Bad(
        "wide rankings with a word",
        "rnk.csv",
        "srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank\n"
        "Czech,English,1,j1,A,1,B,2\nCzech,English,2,j1,A,x,B,1\nCzech,English,3,j1,A,2,B,1\n",
        "rank 'x' in column 'system1rank' of rnk.csv (line 3)",
        cure="--skip-bad-rows",
        then="2 rankings",
    ),
)
ERRORS = (
    Bad(
        "no rater",
        "m.tsv",
        mqm(2, "A\td\t1\t2\t\ttwo\tzwei\tNo-error\tNo-error"),
        "line 4 of m.tsv: 'rater' is missing",
        cure="--skip-bad-rows",
        then="2 ratings",
    ),
    Odd(
        "an error without a rater may be of any output",
        "m.tsv",
        mqm(1, "A\td\t1\t1\t\tone\teins <v>zwei</v>\tFluency/Punctuation\tMinor"),
        "1 skipped row may be of errors in outputs that are read, whose scores are too high then",
        "inspect ? --skip-bad-rows",
    ),
    Bad(
        "a ragged line of errors",
        "m.tsv",
        mqm(2, "A\td\t1\t2\tr1"),
        "line 4 of m.tsv has 5 fields where the header has 9",
        cure="--skip-bad-rows",
        then="1 row that cannot be read is excluded: line 4 (5 fields, not 9)",
    ),
    Bad(
        "no row that can be read",
        "m.tsv",
        MQM + "B\td\t1\t1\tr1\tone\tein\tAccuracy\tHuge\n",
        "m.tsv",
        "inspect ? --skip-bad-rows",
    ),
    Odd(
        "a long minus",
        "s.csv",
        "judge,item,system,score\nann,1,A,−4\nben,1,B,－３\nben,1,C,–2\n",
        "-4 -3 -2 higher note scores with a long minus or wide digits are read as numbers",
    ),
    Bad(
        "a day that was a range",
        "s.csv",
        "judge,item,system,score\nann,1,A,3-May\nben,1,B,4-May\n",
        "score '3-May' in column 'score' of s.csv (lines 2, 3) is not a number",
        "rank ?",
    ),
    Bad(
        "a day that was a fraction",
        "s.csv",
        "judge,item,system,score\nann,1,A,03. Mai\nben,1,B,04. Mai\nann,2,A,4\nann,2,B,3\n",
        "score '03. Mai' in column 'score' of s.csv (lines 2, 3) is not a number",
        "rank ?",
    ),
    Odd(
        "a score off the scale",
        "s.csv",
        SCALE.replace("ann,1,A,2", "ann,1,A,44"),
        "1 score of 44 (line 2), all others from 1 to 5: if it is a slip, correct it.",
        "rank ?",
    ),
    Odd(
        "a judge without a name",
        "s.csv",
        SCALE.replace("ann", "NA"),
        "counted as names of a judge: NA. If they mean that nobody is named, exclude them"
        ' (--where "\\"judge\\" <> \'NA\'"',
        "rank ?",
    ),
    Odd(
        "a judge without a name, excluded",
        "s.csv",
        SCALE.replace("ann", "NA"),
        "12 ratings, 2 judges",
        "inspect ? --where judge<>'NA'",
    ),
    Bad(
        "a rank in words",
        "r.csv",
        RANKED,
        "rank 'third' in column 'rank' of r.csv (line 4)",
        cure="--skip-bad-rows",
        then="line 4 ('third' in 'rank' is no number)",
    ),
    Odd(
        "bad rows in the signature",
        "s.csv",
        RATED,
        "rows that cannot be read: line 3 (sha256",
        "agreement ? --skip-bad-rows",
    ),
    Bad(
        "a ragged line",
        "v.csv",
        VOTES + "dan,3,Žofie\n",
        "line 5 of v.csv has 3 fields where the header has 5",
        "rank ?",
        cure="--skip-bad-rows",
        then="1 row that cannot be read is excluded: line 5 (3 fields, not 5)",
    ),
    Odd(
        "a ragged line above a bad score",
        "s.csv",
        "judge,item,system,score\nann,1,A,4\nben,1\n\ncy,1,B,x\nann,2,B,3,1\nben,2,B,3\n",
        "line 3 (2 fields, not 4), line 6 (5 fields, not 4) note 1 row that cannot be read is"
        " excluded: line 5 ('x' in 'score' is no number)",
        "inspect ? --skip-bad-rows",
    ),
    Bad(
        "a bad score below a field of two lines",
        "s.csv",
        'judge,item,system,score\nann,"1\n2",A,4\n\nben,1,B,x\n',
        "score 'x' in column 'score' of s.csv (line 5)",
    ),
    Odd("no bad rows", "s.csv", RATED.replace("x", "3"), "3 ratings", "inspect ? --skip-bad-rows"),
)
LABELS = (
    Odd("Snow", "rte.standardized.tsv", SNOW, "48 ratings, 4 judges, 12 items."),
    Odd(
        "Snow: agreement",
        "rte.standardized.tsv",
        SNOW,
        "48 scores of 12 outputs by 4 judges each",
        "agreement ?",
    ),
    Odd("Snow: labels", "rte.standardized.tsv", SNOW, "12 of 12 outputs have a label", "labels ?"),
    Odd("Snow: judges", "rte.standardized.tsv", SNOW, "None of 4 judges is flagged", "judges ?"),
    Bad(
        "Snow: rank",
        "rte.standardized.tsv",
        SNOW,
        "holds labels of items and names no systems",
        "rank ?",
    ),
    Bad(
        "Snow: report",
        "rte.standardized.tsv",
        SNOW,
        "holds labels of items and names no systems",
        "report ? -o r.html",
    ),
    Odd("QAGS", "mturk_xsum.jsonl", qags(), "12 ratings, 4 judges"),
    Odd("QAGS: agreement", "mturk_xsum.jsonl", qags(), "12 scores of 4 outputs", "agreement ?"),
    Bad(
        "QAGS: an answer that is none",
        "mturk_xsum.jsonl",
        qags("maybe"),
        "line 1 of mturk_xsum.jsonl: response is 'maybe': expected yes | no",
        cure="--skip-bad-rows",
        then="6 ratings",
    ),
    Bad(
        "labels of our own",
        "l.csv",
        "judge,item,score\nann,1,1\nben,1,0\n",
        "has no column for system",
        cure="--from labels",
        then="2 ratings, 2 judges, 1 item",
    ),
)
ALL = (
    *(*LETTERS, *ENDS, *CONTAINERS, *INPUT, *TITLES, *DECIMALS, *BLANKS),
    *(*WMT, *ERRORS, *LABELS),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(case: Odd, more: Sequence[str] = ()) -> tuple[str, str, int]:
    content = case.content.encode() if isinstance(case.content, str) else case.content
    if case.file != "-":
        Path(case.file).write_bytes(content)
    result = CliRunner().invoke(
        main, [*case.words(), *more], prog_name="evenhand", input=BytesIO(content)
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return " ".join(result.stdout.split()), " ".join(result.stderr.split()), result.exit_code


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
@pytest.mark.usefixtures("folder")
def test_an_odd_file_is_read_or_refused_with_the_reason_and_what_helps(case: Odd) -> None:
    out, err, code = run(case)
    for said in [case.said] if isinstance(case.said, str) else case.said:
        assert said in f"{out} {err}"
    assert code == (2 if case.refused else 0)
    if case.refused:
        assert out == ""
        assert err.startswith("error ")
        assert "Traceback" not in err
    if case.cure:
        assert all(word in err for word in case.cure.split() if word.startswith("--"))
        out, err, code = run(case, case.cure.split())
        assert case.then in f"{out} {err}"
        assert code == 0


def test_there_are_sixty_and_no_two_are_called_alike() -> None:
    assert len({case.name for case in ALL}) == len(ALL) >= 60


@pytest.mark.usefixtures("folder")
def test_arrow_files_are_read_as_their_csv_is() -> None:
    feather = pytest.importorskip("pyarrow.feather")
    arrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    Path("v.csv").write_text(VOTES, encoding="utf-8")
    frame = polars.read_csv("v.csv", infer_schema=False)
    frame.write_ipc("p.arrow")
    feather.write_feather(frame.to_arrow(), "a.feather")
    with arrow.ipc.new_stream("s.arrows", frame.to_arrow().schema) as stream:
        stream.write_table(frame.to_arrow())
    expected = run(Odd("", "v.csv", VOTES, "", "rank ? --json"))[0]
    for name in ("p.arrow", "a.feather", "s.arrows"):
        case = Odd("", name, Path(name).read_bytes(), "", "rank ? --json")
        assert run(case)[0] == expected


@pytest.mark.usefixtures("folder")
def test_without_pyarrow_an_arrow_file_says_how_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    case = Odd("", "v.feather", b"ARROW1\0\0", "", "rank ?")
    out, err, code = run(case)
    assert (out, code) == ("", 2)
    assert "pip install pyarrow, or save the table as Parquet or CSV" in err
