"""Branches of one prompt: nothing that was generated is lost, and a tree never changes."""

import pytest

from core.decoding import Drawn, Tree
from core.errors import InputError
from core.sampling import Candidate, SamplerSettings, Tail


def token(token_id: int) -> Drawn:
    candidate = Candidate(token_id, 0, 0.0, (0.5,), 0.0, None)
    return Drawn(candidate, 0.5, False, SamplerSettings(), 1.0, 2, (candidate,), Tail(0, 0, (0.0,), ()))


def grown(*ids: int, tree: Tree | None = None) -> Tree:
    tree = tree or Tree()
    for token_id in ids:
        tree = tree.add(token(token_id))
    return tree


def test_tokens_are_added_one_after_the_other():
    tree = grown(4, 5, 6)
    assert tree.current == (4, 5, 6)
    assert tree.branches == ((4, 5, 6),)
    assert [drawn.token_id for drawn in tree.along(tree.current)] == [4, 5, 6]


def test_another_token_makes_a_branch_and_both_stay():
    tree = grown(4, 5, 6).branch(1, token(9))
    assert tree.current == (4, 9)
    assert tree.branches == ((4, 5, 6), (4, 9))


def test_a_branch_goes_on_alone():
    tree = grown(7, 8, tree=grown(4, 5, 6).branch(1, token(9)))
    assert tree.branches == ((4, 5, 6), (4, 9, 7, 8))


def test_a_branch_that_exists_is_only_gone_to():
    tree = grown(4, 5, 6)
    again = tree.branch(1, token(5))
    assert (again.current, again.nodes) == ((4, 5), tree.nodes)


def test_going_back_forgets_nothing():
    tree = grown(4, 5, 6).back().back()
    assert tree.current == (4,)
    assert tree.branches == (tree.current_branch,) == ((4, 5, 6),)


def test_back_at_the_prompt_stays_there():
    assert Tree().back() == Tree()


def test_the_current_branch_is_the_newest_through_the_current_path():
    tree = grown(4, 5).branch(1, token(6)).back()
    assert tree.current_branch == (4, 6)


def test_an_empty_tree_has_no_branch():
    assert (Tree().branches, Tree().current_branch) == ((), ())


def test_one_can_stand_at_every_path_that_was_generated_and_at_no_other():
    tree = grown(4, 5, 6)
    assert tree.go((4,)).current == (4,)
    assert tree.go(()).current == ()
    with pytest.raises(InputError):
        tree.go((5,))


def test_a_tree_is_a_value():
    tree = grown(4)
    tree.add(token(5))
    assert tree.branches == ((4,),)
    with pytest.raises(TypeError):
        tree.nodes[(4, 5)] = token(5)
