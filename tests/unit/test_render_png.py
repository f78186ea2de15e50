"""The PNG: right size, same bytes, nothing beyond its edges or over its neighbours."""

import io
from collections.abc import Callable

import pyarrow as pa
import pytest
from matplotlib.text import Text
from PIL import Image
from render_samples import big, cell, cells, claims, small

from retrial.tables.description import ColumnGroup, Description
from retrial.tables.render import layout
from retrial.tables.render.canvas import PIXELS_HIGHEST, Canvas, resolution
from retrial.tables.render.grid import build_grid
from retrial.tables.render.png import draw_page, render_png
from retrial.tables.render.type import Face, typeset, width, wrap

Sample = Callable[[], tuple[pa.Table, Description]]
FACE = Face(8, "#000000")


def texts(canvas: Canvas) -> list[Text]:
    return [t for t in canvas.figure.texts if t.get_text()]


@pytest.mark.parametrize("make", [small, claims])
def test_same_cells_same_bytes(make: Sample) -> None:
    table, description = make()
    assert render_png(table, description) == render_png(table, description)


def test_size_follows_the_page() -> None:
    table, description = small()
    canvas = draw_page(build_grid(table, description))
    image = Image.open(io.BytesIO(canvas.png()))
    dots = resolution(canvas.wide, canvas.high)
    assert image.size == (int(canvas.wide * dots), int(canvas.high * dots))
    assert image.getpixel((2, 2))[:3] == (255, 255, 255)  # type: ignore[index]


def test_a_wide_table_is_about_2400_pixels_wide() -> None:
    canvas = draw_page(build_grid(*big()))
    assert 2250 <= canvas.wide * resolution(canvas.wide, canvas.high) <= 2400


@pytest.mark.parametrize("make", [big, small, claims])
def test_nothing_is_cut_off_or_overlaps(make: Sample) -> None:
    canvas = draw_page(build_grid(*make()))
    renderer = canvas.agg.get_renderer()  # type: ignore[no-untyped-call]
    page = canvas.figure.bbox
    boxes = [(t, t.get_window_extent(renderer)) for t in texts(canvas)]
    for text, box in boxes:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.x1 and box.y1 <= page.y1
        assert inside, text.get_text()
    dots = canvas.figure.dpi
    for number, (one, a) in enumerate(boxes):
        for other, b in boxes[number + 1 :]:
            if abs(one.get_position()[1] - other.get_position()[1]) * canvas.high > 0.02:
                continue  # another baseline; rows keep their own distance
            apart = min(a.x1, b.x1) - max(a.x0, b.x0)
            assert apart <= 0.02 * dots, (one.get_text(), other.get_text())


@pytest.mark.parametrize("make", [big, small])
def test_every_text_of_every_cell_is_drawn(make: Sample) -> None:
    grid = build_grid(*make())
    drawn = {t.get_text() for t in texts(draw_page(grid))}
    for view in grid.cells:
        wanted = {view.text, view.interval, view.mark + view.published} - {""}
        assert {typeset(text) for text in wanted} <= drawn
    for block in grid.blocks:
        assert block.name in drawn
        assert {row.label for row in block.rows} <= drawn


def test_sentences_are_wrapped_word_for_word() -> None:
    grid = build_grid(*claims())
    drawn = " ".join(t.get_text() for t in texts(draw_page(grid)))
    for view in grid.cells:
        if view.is_text:
            assert " ".join(view.text.split()) in drawn
    assert any(reason in drawn for reason in grid.reasons)


def test_best_is_bold_and_references_are_slanted() -> None:
    grid = build_grid(*big())
    fonts: dict[str, set[str]] = {}
    for text in texts(draw_page(grid)):
        fonts.setdefault(text.get_text(), set()).add(str(text.get_fontproperties().get_file()))
    assert all("Bold" in " ".join(fonts[c.text]) for c in grid.cells if c.best)
    assert {f.rsplit("-", 1)[1] for f in fonts["Human ceiling"]} == {"Oblique.ttf"}


def test_dollars_are_no_mathematics() -> None:
    table = cells(cell("a", "r", value_text="from $140 to $0.02 and \\frac{"))
    canvas = draw_page(build_grid(table, Description("Cost in $ and $", ())))
    assert not any(t.get_parse_math() for t in texts(canvas))
    assert canvas.png().startswith(b"\x89PNG")


def test_empty_and_ragged_tables_are_drawn() -> None:
    plain = Description("Ragged", (ColumnGroup("G", (("r", "r"), ("s", "s"))),))
    ragged = cells(cell("a", "r", value=0.1), cell("b", "s", row_order=1, verdict="pending"))
    for table in (cells(), ragged):
        assert render_png(table, plain).startswith(b"\x89PNG")


def test_wrapping_keeps_to_the_width_and_every_letter() -> None:
    text = "Some words and one_extraordinarily_long_identifier_without_any_break\nand a line."
    lines = wrap(text, FACE, 1.0)
    assert all(width(line, FACE) <= 1.0 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert wrap("", FACE, 1.0) == [""]


def test_minus_signs_are_measured_as_drawn() -> None:
    assert typeset("[-0.10, 0.20]") == "[\N{MINUS SIGN}0.10, 0.20]"
    assert typeset("BM25-4") == "BM25-4"
    assert width("-0.10", FACE) == width("\N{MINUS SIGN}0.10", FACE)


def test_resolution_falls_only_for_enormous_pages() -> None:
    assert resolution(15.0, 17.0) == 160
    assert resolution(6.4, 5.0) == 220
    assert resolution(15.0, 1500.0) * 1500 <= PIXELS_HIGHEST


def test_columns_of_sentences_share_the_page() -> None:
    plan = layout.lay_out(build_grid(*claims()))
    assert plan.page_wide <= layout.PAGE_OF_TEXT + 0.1
    ends = [box.left + box.wide for box in plan.boxes]
    starts = [box.left for box in plan.boxes[1:]]
    assert all(end <= start + 1e-9 for end, start in zip(ends, starts, strict=False))
