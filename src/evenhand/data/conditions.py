"""Which rows to keep: a SQL condition on a DuckDB table, or an expression on any frame.

A SQL condition may come from somebody else's command. It is parsed before any engine sees it, and
may hold columns, constants, operators, casts, CASE and the functions of `FUNCTIONS`: nothing that
reads another file, table, variable or setting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, cast

import narwhals as nw
from narwhals.exceptions import ColumnNotFoundError

from evenhand.data.engine import COUNT, Frame, quote, quote_name
from evenhand.errors import (
    UnknownColumn,
    UnknownOption,
    listing,
    quote_word,
    suggest,
    write_without,
)

if TYPE_CHECKING:
    import duckdb


# A column, a sign and a number
_COMPARISON: Final = re.compile(
    r"""(\w+|"[^"]+")\s*(=|<>|!=|<=|>=|<|>)\s*([+-]?(?:\d+\.?\d*|\.\d+))"""
)
# A text or a name in quotes, in which any sign may stand
_QUOTED: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_MANY_ROWS: Final = re.compile("aggregate|window", re.IGNORECASE)
_SUMS: Final = re.compile(r"\b(sum|avg|count|min|max|median)\s*\(", re.IGNORECASE)

# Functions of DuckDB that a condition may call, operators among them: each sees its row only
FUNCTIONS: Final = frozenset(
    """
    ! !__postfix !~~ !~~* % & && * ** + - ->> -> / // << <-> <=> <@ >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~
    abs acos add asin atan atan2 bit_count cbrt ceil ceiling cos cot degrees divide even exp
    factorial fdiv floor fmod gamma gcd greatest hash isfinite isinf isnan lcm least lgamma ln log
    log10 log2 md5 md5_number mod multiply pi pow power radians round round_even sha1 sha256 sign
    signbit sin sqrt subtract tan trunc xor

    age century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc
    day dayname dayofmonth dayofweek dayofyear decade epoch epoch_ms epoch_ns epoch_us era hour
    isodow isoyear julian last_day make_date make_time make_timestamp make_timestamptz microsecond
    millennium millisecond minute month monthname quarter second strftime strptime time_bucket
    timezone timezone_hour timezone_minute to_centuries to_days to_decades to_hours to_microseconds
    to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks
    to_years try_strptime week weekday weekofyear year yearweek
    current_date current_localtime current_localtimestamp get_current_time get_current_timestamp now
    today transaction_timestamp

    ascii base64 bin bit_length char_length character_length chr concat concat_ws contains
    damerau_levenshtein decode editdist3 encode ends_with format format_bytes from_base64 from_hex
    hamming hex ilike_escape instr jaccard jaro_similarity jaro_winkler_similarity lcase left
    left_grapheme len length length_grapheme levenshtein like_escape lower lpad ltrim mismatches
    nfc_normalize not_ilike_escape not_like_escape octet_length ord parse_dirname parse_dirpath
    parse_filename parse_path position prefix printf regexp_escape regexp_extract regexp_extract_all
    regexp_full_match regexp_matches regexp_replace regexp_split_to_array repeat replace reverse
    right right_grapheme rpad rtrim split split_part starts_with str_split str_split_regex
    string_split string_split_regex string_to_array strip_accents strlen strpos substr substring
    substring_grapheme suffix to_base to_base64 to_hex translate trim ucase unhex unicode upper
    url_decode url_encode

    json_array_length json_contains json_exists json_extract json_extract_path
    json_extract_path_text json_extract_string json_keys json_structure json_type json_valid
    json_value to_json
    array_contains array_distinct array_extract array_filter array_has array_has_all array_has_any
    array_indexof array_intersect array_length array_position array_slice array_to_string
    array_transform array_unique cardinality element_at flatten list_append list_apply list_avg
    list_concat list_contains list_distinct list_element list_extract list_filter list_has
    list_has_all list_has_any list_indexof list_intersect list_max list_median list_min list_pack
    list_position list_reverse list_reverse_sort list_slice list_sort list_sum list_transform
    list_unique list_value list_zip map map_contains map_entries map_extract map_extract_value
    map_from_entries map_keys map_values row struct_extract struct_extract_at struct_pack
    union_extract union_tag
    constant_or_null nullif typeof
    """.split()  # noqa: SIM905 - a list would take a line for each
)
# Likeness from which a name is taken for a misspelt one: lowwer is, random is not rpad
_MISSPELT: Final = 0.75
# Kinds of expressions that stand for one row; of windows the engine itself says what is wrong
_CLASSES: Final = frozenset(
    (
        *("BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION"),
        *("CONSTANT", "FUNCTION", "LAMBDA", "LAMBDA_REF", "OPERATOR", "WINDOW"),
    )
)
# Types that the parser looks up by name and that need no extension
_TYPES: Final = ("json", "enum")


def filter_rows(frame: Frame, condition: nw.Expr | str, name: str) -> Frame:
    if isinstance(condition, nw.Expr):
        try:
            filtered = frame.filter(condition)
            if filtered.implementation.is_polars():
                filtered.collect_schema()  # a lazy frame looks for its columns only now
        except ColumnNotFoundError as error:
            raise UnknownColumn(f"where, on {name}: {str(error).splitlines()[0]}") from None
        return filtered
    if not isinstance(condition, str):
        raise UnknownOption(
            "where is a SQL condition in text, or a narwhals expression such as"
            f" nw.col('judge') != 'j3'; not {type(condition).__name__}"
        )
    if not frame.implementation.is_duckdb():
        raise UnknownOption(
            "a SQL condition needs a file or a DuckDB relation; for a data frame pass a"
            " narwhals expression, such as nw.col('judge') != 'j3', or filter it first"
        )
    import duckdb

    if not condition.strip():
        raise UnknownOption("where is empty: write a condition such as \"judge <> 'j3'\"")
    native = frame.to_native()
    parse_condition(condition)  # one condition and nothing else
    try:
        expression = duckdb.SQLExpression(condition)
        kind = str(native.project(expression.alias("kept")).types[0])
        chosen = native.filter(expression)
    except duckdb.BinderException as error:
        raise _refuse_name(error, frame, name, condition) from None
    except duckdb.Error as error:
        from evenhand.data.engine_errors import first_line

        message = f"where '{condition}' is not one SQL condition: {first_line(str(error))}"
        raise UnknownOption(message + _advise(condition)) from None
    if kind != "BOOLEAN":
        raise UnknownOption(
            f"where '{condition}' is {kind.lower()}, not true or false: compare it with something,"
            " for instance \"judge = 'j3'\""
        )
    return nw.from_native(chosen)  # type: ignore[no-any-return]


def advise_unequal(frame: Frame, one: str, other: str) -> str:
    """Return what leaves out rows in which two columns are equal."""
    if frame.implementation.is_duckdb():
        sql = f"{quote_name(one)} <> {quote_name(other)}"
        return f"--where {quote_word(sql)}, in Python where={sql!r}"
    first, second = (json.dumps(name, ensure_ascii=False) for name in (one, other))
    return f"where=narwhals.col({first}) != narwhals.col({second})"


def advise_without(
    frame: Frame, values: Mapping[str, Sequence[str]], *, judges: bool = False
) -> str:
    """Return what leaves out rows without a value in some columns, or with one of some values.

    values: column outside → texts in it whose rows go, beside those where it is missing.
    judges: whether these are names of judges, whom Python leaves out by name.
    """
    engine = frame.implementation
    if judges:
        names_of_judges = [one for texts in values.values() for one in texts]
        named = f"without(judges={names_of_judges})"
        option = write_without("judge", names_of_judges)
        return f"{option}, in Python {named}" if engine.is_duckdb() else named
    if engine.is_duckdb():
        clauses = []  # a comparison with a missing value is false
        for column, texts in values.items():
            name, there = quote_name(column), [one for one in texts if one]
            words = ", ".join(map(quote, there))
            some = f"<> {words}" if len(there) == 1 else f"not in ({words})"
            if "" in texts:  # also of blanks alone, tabs among them, which trim() keeps
                clauses.append(f"regexp_matches({name}, '[^[:space:]]')")
            if there or not texts:
                clauses.append(f"{name} {some if there else 'is not null'}")
        sql = " and ".join(clauses)
        return f"--where {quote_word(sql)}, in Python where={sql!r}"
    sure = []
    for column, texts in values.items():
        value = f"narwhals.col({json.dumps(column, ensure_ascii=False)})"
        bare = ".str.strip_chars()" if "" in texts else ""  # which stands for blanks alone as well
        sure.append(f"~{value}.is_null()")
        sure += [f"~{value}{bare}.is_in({texts})"] if texts else []
    return f"where={' & '.join(sure)}"


def parse_condition(condition: str) -> list[dict[str, Any]]:
    """Return the parts of a condition, as DuckDB's parser writes them; nothing is run."""
    return _parse("where", condition, "condition")[1]


def rename_columns(control: str, rename: Callable[[str], str]) -> str:
    """Return an expression of the columns of one row with these under other names; none is run."""
    tree, parts = _parse("control", control, "expression")
    for part in parts:
        if part.get("class") == "COLUMN_REF":
            first, *rest = part["column_names"]  # what is in a column stays
            part["column_names"] = [rename(first), *rest]
    written = _start_parser().execute("select json_deserialize_sql(?)", [json.dumps(tree)])
    return str((written.fetchone() or ("",))[0]).partition(" WHERE ")[2]


def _parse(what: str, condition: str, kind: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the query that a condition is parsed in, and its parts; what is no such is refused."""
    from evenhand.data.engine_errors import first_line

    if "\x00" in condition:
        raise UnknownOption(f"{what} holds a NUL character, at which SQL ends: take it out")
    if "`" in _QUOTED.sub("", condition):
        raise UnknownOption(
            f"{what} '{condition}' holds a backtick: a name stands in double quotes, as in"
            ' "judge"'
        )
    # In brackets nothing but an expression can stand: no second statement, no FROM.
    parser, query = _start_parser(), f"select 1 where (\n{condition}\n)"
    (text,) = parser.execute("select json_serialize_sql(?)", [query]).fetchone() or ("{}",)
    try:
        tree = json.loads(text)
    except RecursionError:
        raise UnknownOption(
            f"{what} '{condition[:60]}…' nests too many brackets or signs: write it shorter"
        ) from None
    fault = first_line(tree["error_message"]) if tree.get("error") else ""
    if not fault:  # it may be sound in brackets alone: "a) or (b"
        import duckdb

        try:
            duckdb.SQLExpression(condition)
        except duckdb.Error as error:
            fault = first_line(str(error))
    if fault:
        raise UnknownOption(
            f"{what} '{condition}' is not one SQL {kind}: {fault}{_advise(condition)}"
        )
    query_parts = [dict(statement["node"]) for statement in tree["statements"]]
    root = query_parts[0].pop("where_clause", None)
    # What a query has beside its condition
    plain = parser.execute("select json_serialize_sql('select 1 where (true)')").fetchone()
    usual = json.loads((plain or ("{}",))[0])["statements"][0]["node"]
    del usual["where_clause"]
    if query_parts != [usual]:
        raise UnknownOption(f"{what} '{condition}' is not one SQL {kind}, but parts of a query")
    parts = list(_list_parts(root))
    for part in parts:
        fault = _find_fault(part)
        if fault:
            raise UnknownOption(
                f"{what} '{condition}' is not one SQL {kind} on a row: it {fault}; it may hold"
                " columns, constants, operators, CASE, casts and functions such as lower()"
            )
    return tree, parts


@cache
def _start_parser() -> duckdb.DuckDBPyConnection:
    """Start an engine that only parses: it has no data and reaches no file."""
    import duckdb

    return duckdb.connect(config={"threads": "1", "enable_external_access": "false"})


@cache
def _list_sums() -> frozenset[str]:
    query = "select function_name from duckdb_functions() where function_type = 'aggregate'"
    return frozenset(name for (name,) in _start_parser().execute(query).fetchall())


def _list_parts(root: Any) -> Iterator[dict[str, Any]]:
    waiting = [root]
    while waiting:
        branch = waiting.pop()
        if isinstance(branch, dict):
            yield branch
            waiting.extend(branch.values())
        elif isinstance(branch, list):
            waiting.extend(branch)


def _find_fault(part: dict[str, Any]) -> str:
    """Say what a part of a condition reaches for beyond its row; nothing where it is sound."""
    kind = part.get("class")
    if kind == "SUBQUERY":
        return "holds a query of its own, which could read other tables or files"
    if kind == "FUNCTION":
        name = str(part["function_name"]).lower()
        place = part.get("catalog") or str(part.get("schema") or "").removeprefix("main")
        if place and name in FUNCTIONS:
            rest = ", …" if part.get("children") else ""
            return f"calls {place}.{name}(): write {name}({place}{rest})"
        if name in FUNCTIONS or (name in _list_sums() and not place):
            return ""  # of sums the engine says that they are over many rows
        words = [one for one in FUNCTIONS if one[0].isalpha()]
        from difflib import get_close_matches

        near = get_close_matches(name, words, n=1, cutoff=_MISSPELT)
        meant = f" (did you mean {near[0]}()?)" if near else ""
        return f"calls {name}(), which conditions may not{meant}"
    if kind is not None and kind not in _CLASSES:
        return f"holds {str(kind).lower().replace('_', ' ')}, which is no value of one row"
    if part.get("id") in {"UNBOUND", "USER"}:
        info = part.get("type_info") or {}
        name = str(info.get("name") or info.get("user_type_name") or "?")
        if name.lower() not in _TYPES or info.get("schema") or info.get("catalog"):
            return f"casts to {name}, which is no built-in type"
    return ""


def _refuse_name(
    error: Exception, frame: Frame, name: str, condition: str
) -> UnknownColumn | UnknownOption:
    from evenhand.data.engine_errors import first_line

    text = first_line(str(error))
    if text.startswith("Referenced column"):
        column = text.split('"')[1]
        columns = frame.collect_schema().names()
        has = f" It has {listing(columns)}; text stands in single quotes"
        hint = suggest(column, columns) or has
        return UnknownColumn(f"where asks for column '{column}', which {name} does not have.{hint}")
    if _MANY_ROWS.search(text) or _SUMS.search(condition):
        return UnknownOption(
            f"where '{condition}' is not a condition on one row: sums, counts and the like over"
            " many rows cannot stand in it"
        )
    if "VARCHAR" in text and "cast" in text:
        simple = _COMPARISON.fullmatch(condition.strip())
        example = "cast(weight as double) > 10"
        cast_number = simple.expand(r"cast(\1 as double) \2 \3") if simple else example
        return UnknownOption(
            f"where '{condition}' compares text with a number: columns of a CSV or JSON file are"
            f" text here, write {cast_number}"
        )
    return UnknownOption(f"where '{condition}' is not a condition on rows: {text}")


def _advise(condition: str) -> str:
    """Point at the two column names that are words of SQL."""
    for word in ("left", "right"):
        if re.search(rf'(?<!["\w]){word}(?!["\w(])', condition, re.IGNORECASE):
            return f'; {word} is a word of SQL: write the column as "{word}", in double quotes'
    return ""


# What narwhals writes in words that not every database knows, in words that each does.
#
# PostgreSQL makes neither a fraction nor a whole number of 64 bits of a condition, and narwhals
# makes a number of one wherever it counts different values.


def mark_whole(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds and 0 elsewhere, so that its sum is how often it holds.

    >>> import polars as pl
    >>> frame = nw.from_native(pl.DataFrame({"a": [1, None, 3]}))
    >>> frame.select(mark_whole(nw.col("a") > 2).alias("large"))["large"].to_list()
    [0, 0, 1]
    """
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


def count_values(frame: Frame, name: str, by: Sequence[str]) -> Frame:
    """Count the different values of a column, a missing one among them, for each group.

    Returns `by` and the number, as `COUNT`: a whole number also where there are no rows.
    """
    different = frame.group_by(*by, name).agg(nw.len().alias(COUNT))
    number = nw.len().alias(COUNT)
    return different.group_by(*by).agg(number) if by else different.select(number)


# Text in the order of its bytes: the same on every engine, also where words sort as in a language.
#
# A database of PostgreSQL or MySQL puts "a" before "B" if its language does; Python, DuckDB, Polars
# and Spark do not. What is numbered in order must not depend on it.
ORDER: Final = "evenhand_order"


def add_order(frame: Frame, column: str) -> Frame:
    """Add what puts a column of text into the order of its bytes, as the column `ORDER`.

    What is no text keeps its own order.
    """
    if frame.implementation.is_ibis() and frame.collect_schema()[column] == nw.String:
        native: Any = frame.to_native()
        written, backend = native[column], native.get_backend().name
        # the bytes of a text, by the database's own function where it sorts by a language
        if backend == "postgres":
            convert = _call("convert_to", lambda text, encoding: (text, encoding), "binary")
            written = convert(written, "UTF8")
        elif backend == "mysql":
            written = _call("hex", lambda text: text, "string")(written)
        return cast("Frame", nw.from_native(native.mutate(**{ORDER: written})))
    return frame.with_columns(nw.col(column).alias(ORDER))


def _call(name: str, shape: Callable[..., Any], gives: str) -> Any:
    # shape: takes as many arguments as it does.
    import ibis

    takes = ("string",) * len(signature(shape).parameters)
    return ibis.udf.scalar.builtin(shape, name=name, signature=(takes, gives))
