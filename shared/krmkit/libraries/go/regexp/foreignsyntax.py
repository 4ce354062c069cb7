"""Syntax of other regular expression engines that RE2 lacks, and what to write instead."""

from __future__ import annotations

# Each has its start, its name and the alternative.
FOREIGN = (
    ("(?=", "look-ahead", "RE2 has no look-around; match the text itself, or write two constraints"),
    ("(?!", "negative look-ahead", "RE2 has no look-around; list what is allowed instead"),
    ("(?<=", "look-behind", "RE2 has no look-around; match the text before it as well"),
    ("(?<!", "negative look-behind", "RE2 has no look-around; list what may stand before it"),
    ("(?>", "an atomic group", "RE2 never backtracks, so a plain group (?:...) does"),
    ("(?(", "a conditional", "RE2 has none; write the two cases with |"),
    ("(?P=", "a back-reference", "RE2 cannot refer to an earlier match; write the repeated part out"),
    ("\\k", "a back-reference", "RE2 cannot refer to an earlier match; write the repeated part out"),
    ("(?#", "a comment", "RE2 has no comments in patterns; leave it out"),
    ("(?R", "a recursion", "RE2 patterns cannot call themselves"),
    ("\\Z", "the anchor \\Z", "write \\z, or $, which means the end of the text unless (?m) is set"),
    ("\\G", "the anchor \\G", "RE2 has none; write ^ or \\A"),
)
