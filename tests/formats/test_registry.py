"""Which layout a table has."""

from pathlib import Path

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import UnknownColumn, UnknownFormat
from evenhand.formats.reading import read
from evenhand.formats.registry import FORMATS, LAYOUTS, choose
from evenhand.formats.roles import SYNONYMS, Header
from read_tables import refusal

HEADERS = {
    "wmt_pairs": "srclang,trglang,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID",
    "wmt_rnk": "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank",
    "wmt_da": "HITId,WorkerId,Input.src,Input.trg,Input.item,hit,sys_id,rid,type,sid,score,time",
    "wmt_da_scores": "SYS,SID,RAW.SCR,Z.SCR,N",
    "appraise_pairs": "user,system,segID,type,src,tgt,score,errors,sourceErrors,start,end",
    "appraise": "user,system,segID,type,src,tgt,score",
    "wmt_json": "scores,src_text,tgt_text,doc_id",
    "mqm": "system,doc,doc_id,seg_id,rater,source,target,category,severity",
    "mqm_averages": "system,mqm_avg_score,seg_id",
    "mtme_scores": "SYSTEM,SCORE,pair,name,level",
    "mtme_ratings": "SYSTEM,RATING,RATER,pair,name,level",
    "mtme_json": "source,hypothesis,errors,document_id,segment_id,system_id,rater_id",
    "pearmut": "annotation,actions,item,user_id,item_i",
    "potato": "instance_id,user_id,preference.selection",
    "label_studio": "id,data,annotations",
    "argilla": "id,fields,responses",
    "snow": "!amt_annotation_ids,!amt_worker_ids,orig_id,response,gold",
    "qags": "article,summary_sentences",
    "mt_bench": "question_id,model,judge,user_prompt,judgment,score,turn,tstamp",
    "mt_bench_pairs": "question_id,model_1,model_2,g1_winner,g2_winner,judge,turn,tstamp",
    "arena_hard": "uid,category,judge,model,baseline,games",
    "winners": "judge,item,winner,loser",
    "alpaca_eval": "instruction,output_1,generator_1,output_2,generator_2,annotator,preference",
    "pandalm": "idx,cmp_key,instruction,input,response1,response2,annotator1,annotator2",
    "arena_one_hot": "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie",
    "arena_log": "tstamp,type,models,ip",
    "arena": "question_id,model_a,model_b,winner,judge,turn",
    "dpo": "prompt,chosen,rejected",
    "evalica": "left,right,winner",
    "crowd_kit": "worker,left,right,label",
    "crowd_kit_long": "task,worker,label",
    "mlqe": "index,original,translation,scores,mean,z_scores,z_mean,model_scores",
    "subset2evaluate": "i,src,ref,tgt,doc,domain,scores",
    "rankings": "judge,item,ranking_id,system,rank,score",
    "comparisons": "judge,item,system_a,system_b,preference",
    "probabilities": "judge,item,left,right,probability_left",
    "pair_scores": "judge,item,model_a,model_b,score_a,score_b",
    "wide_votes": "item,model_a,model_b,annotator_1,annotator_2",
    "marked_errors": "System,Segment,Annotator,Error type,Severity,Start,End,Comment",
    "unnamed_rankings": "judge_id,item,system,rank,comment",
    "ratings": "judge,item,system,criterion,score",
    "spans": "judge,item,system,spans",
}
ONLY_ASKED = {"matrix", "wide", "wide_ranks", "labels"}
"""Layouts that no header gives away."""


@pytest.mark.parametrize(("name", "header"), HEADERS.items())
def test_a_layout_is_recognised_by_its_columns(name: str, header: str) -> None:
    recognised = choose(Header(tuple(header.split(","))), None)
    assert name == recognised.name


def test_every_layout_has_a_header_here() -> None:
    assert set(HEADERS) | ONLY_ASKED == set(FORMATS)


@pytest.mark.parametrize("layout", LAYOUTS, ids=FORMATS)
def test_a_layout_says_its_title_and_its_columns(layout) -> None:
    assert layout.title
    assert len(layout.needs) >= 2 or layout.condition is not None


@pytest.mark.parametrize("layout", LAYOUTS, ids=FORMATS)
def test_a_layout_refuses_a_table_without_its_columns(layout, save) -> None:
    path = save("t.csv", "a,b,c\n1,2,3\n")
    assert str(path) in refusal(path, UnknownColumn, format=layout.name)


def test_a_format_can_be_forced_and_written_with_dashes(save) -> None:
    path = save("t.csv", "worker,left,right,label\nw,A,B,left\n")
    assert read(path).source.format == "crowd_kit"
    assert read(path, format="comparisons").source.format == "comparisons"
    assert read(path, format="Crowd-Kit").source.format == "crowd_kit"


def test_an_unknown_layout_is_refused_with_what_was_found_and_what_is_needed(save) -> None:
    words = refusal(save("t.csv", "a,b,c\n1,2,3\n"), UnknownFormat)
    assert "columns a, b, c" in words
    assert "need left, right, outcome" in words


def test_the_nearest_layout_says_what_is_missing(save) -> None:
    ranked = save("r.csv", "ranking,system,place\nr,A,1\n")
    assert "looks like rankings, but has no column for rank" in refusal(ranked, UnknownColumn)
    rated = save("s.csv", "judge,system,points_given\nj,A,1\n")
    assert "looks like ratings, but has no column for score" in refusal(rated, UnknownColumn)


def test_a_role_of_another_kind_of_table_is_refused(save) -> None:
    path = save("t.csv", "left,right,winner,place\nA,B,left,1\n")
    assert "no role 'rank'" in refusal(path, format="evalica", columns={"rank": "place"})
    assert "no column for" in refusal(path, UnknownColumn, columns={"rank": "place"})


def test_each_own_table_gives_its_kind_of_handle(save) -> None:
    compared = save("c.csv", "judge,item,left,right,outcome\nj,1,A,B,tie\n")
    ranked = save("r.csv", "judge,item,ranking,system,rank\nj,1,r,A,1\nj,1,r,B,\n")
    rated = save("s.csv", "judge,item,system,criterion,score\nj,1,A,fluency,71.5\n")
    kinds = [type(read(path)) for path in (compared, ranked, rated)]
    assert kinds == [Comparisons, Rankings, Ratings]


def test_the_documentation_names_every_layout_and_synonym() -> None:
    page = Path(__file__).parents[2] / "docs" / "formats.md"
    rows = [line.split("|") for line in page.read_text(encoding="utf-8").splitlines()]
    told = {row[1].strip().strip("`"): row[2].strip().split(", ") for row in rows if len(row) == 4}
    assert {role: told[role] for role, names in SYNONYMS.items() if names} == {
        role: list(names) for role, names in SYNONYMS.items() if names
    }
    assert tuple(row[1].strip(" `") for row in rows if row[1:] and len(row) == 5)[2:] == FORMATS


def test_the_log_of_a_campaign_and_the_campaign_say_where_the_judgments_are(save):
    log = '{"body":{"kind":"launch","number":1},"hash":"63c8"}\n'
    said = refusal(save("log.jsonl", log), UnknownFormat)
    assert "is the log of a campaign, for evenhand check: download comparisons.csv" in said
    compiled = '{"name":"c","instructions":"","consent":"","thanks":"","design":{}}'
    said = refusal(save("campaign.json", compiled), UnknownFormat)
    assert "holds a campaign: what is to be judged, and no judgments yet" in said
