"""krmkit.libraries.cel.kubernetes: the language and the libraries that rules have in Kubernetes."""

from __future__ import annotations

import pytest

from krmkit.libraries.cel.expressions import CelError
from krmkit.libraries.cel.kubernetes.environment import OUT_OF_STEPS, KubeEnvironment
from krmkit.libraries.cel.kubernetes.library import functions

NEWEST = KubeEnvironment()


def evaluate(text: str, value: object = "10.0.0.1", kind: str = "string", result: str = "BOOL") -> object:
    scope = NEWEST.scope({"self": kind})
    return NEWEST.compile(text, scope, result).evaluate(NEWEST.bind({"self": value}))


@pytest.mark.parametrize(
    "text",
    [
        # Addresses and networks.
        "isIP(self) && !isIP('x') && !isIP('::ffff:1.2.3.4')",
        "ip(self).family() == 4 && ip('::1').family() == 6",
        "ip(self) == ip('10.0.0.1') && ip(self) != ip('::1')",
        "ip.isCanonical('::1') && !ip.isCanonical('0:0::1')",
        "ip('0.0.0.0').isUnspecified() && ip('127.0.0.1').isLoopback()",
        "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast() && !ip('224.1.0.1').isLinkLocalMulticast()",
        "ip('169.254.0.1').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()",
        "ip(self).isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && !ip('127.0.0.1').isGlobalUnicast()",
        "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/33')",
        "cidr('10.0.0.0/8').containsIP(self) && cidr('10.0.0.0/8').containsIP(ip(self)) && !cidr('::/0').containsIP(self)",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
        "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
        "cidr('10.0.0.0/8').prefixLength() == 8",
        # Quantities compare by amount, versions by precedence.
        "isQuantity('1.5Gi') && !isQuantity('x') && !isQuantity('')",
        "quantity('1Gi') == quantity('1024Mi')",
        "quantity('1').isLessThan(quantity('1.1')) && quantity('2').isGreaterThan(quantity('1500m'))",
        "quantity('1').compareTo(quantity('2')) == -1 && quantity('1k').compareTo(quantity('1000')) == 0",
        "quantity('1').add(quantity('500m')) == quantity('1.5') && quantity('1').add(2) == quantity('3')",
        "quantity('1').sub(quantity('2')).sign() == -1 && quantity('1').sub(1).sign() == 0",
        "quantity('50k').isInteger() && quantity('50k').asInteger() == 50000 && !quantity('1.5').isInteger()",
        "quantity('1.5').asApproximateFloat() == 1.5",
        "isSemver('1.2.3') && !isSemver('v1.2.3') && isSemver('v1.2', true)",
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))",
        "semver('v1.2', true) == semver('1.2.0') && semver('1.2.3').compareTo(semver('1.2.3+build')) == 0",
        "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
        # URLs, regular expressions, lists, and the extensions of CEL.
        "isURL('https://a.b') && isURL('/path') && !isURL('a b') && !isURL('')",
        "url('https://ann@a.b:80/x y?q=1&q=2#f').getScheme() == 'https'",
        "url('https://a.b:80/').getHost() == 'a.b:80' && url('https://a.b:80/').getHostname() == 'a.b'",
        "url('https://[::1]:80/').getPort() == '80' && url('https://[::1]/').getPort() == ''",
        "url('https://a.b/x%20y').getEscapedPath() == '/x%20y'",
        "url('/a?q=1&q=2&r=a+b').getQuery() == {'q': ['1', '2'], 'r': ['a b']}",
        "url('https://a.b') == url('https://a.b')",
        "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''",
        "'1 2 3'.findAll('[0-9]') == ['1', '2', '3'] && '1 2 3'.findAll('[0-9]', 2) == ['1', '2']",
        "[1, 2].isSorted() && !['b', 'a'].isSorted()",
        "[1, 2, 3].sum() == 6 && [1.5].sum() == 1.5",
        "[3, 1].min() == 1 && ['a', 'b'].max() == 'b'",
        "sets.contains([1, 2], [1]) && sets.intersects([1], [1, 2])",
        "'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b' && 'abc'.charAt(1) == 'b'",
        "'%s has %s'.format(['a', string(1)]) == 'a has 1'",
        "optional.of(1).hasValue() && !optional.none().hasValue()",
        "cel.bind(x, 2, x * x) == 4",
        "1 < 1.5 && 1.5 >= 1 && [1].size() < 1.5 && 2u > 1",
        "timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z') && b'a' < b'b' && false < true",
    ],
)
def test_libraries(text: str) -> None:
    """Each text is true in Kubernetes: its libraries work together with the operators of CEL."""
    assert evaluate(text) is True


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "this does not compile",
            "compilation failed: ERROR: <input>:1:6: Syntax error: mismatched input 'does' expecting <EOF>",
        ),
        (
            "nothing(self)",
            "compilation failed: ERROR: <input>:1:8: undeclared reference to 'nothing' (in container '')",
        ),
        (
            "self + 1 == 2",
            "compilation failed: ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(string, int)'",
        ),
        (
            "self.a == 1",
            "compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection",
        ),
        (
            "[1, 'a'].size() == 2",
            "compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'",
        ),
        (
            "ip('::1') == cidr('::/0')",
            "compilation failed: ERROR: <input>:1:11: found no matching overload for '_==_'",
        ),
        (
            "'%s %d'.format(['a', 1]) == 'a 1'",
            "compilation failed: ERROR: <input>:1:22: expected type 'string' but found 'int'",
        ),
        (
            "1 < 'a'",
            "compilation failed: ERROR: <input>:1:3: found no matching overload for '_<_' applied to '(int, string)'",
        ),
        ("self", "must evaluate to a bool"),
    ],
)
def test_compile_errors(text: str, problem: str) -> None:
    """What does not fit is refused before it runs, in cel-go's words."""
    with pytest.raises(CelError) as caught:
        evaluate(text)

    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    "text",
    ["string(ip('::1')) == ''", "[1].indexOf(1) == 0", "format.dns1123Label().validate('a').hasValue()",
     "[1].all(i, v, v > 0)", "authorizer.path('/').check('get').allowed()"],
)  # fmt: skip
def test_what_is_not_there(text: str) -> None:
    """A function that cannot be had is an error, never a pass."""
    with pytest.raises(CelError, match="compilation failed"):
        evaluate(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ip('x').family() == 4", 'IP Address "x" parse error during conversion from string'),
        ("quantity('1.5').asInteger() == 1", "cannot convert value to integer"),
        ("[1].filter(x, x > 1).min() == 1", "min called on empty list"),
        ("[1][self.size()] == 1", "index out of bounds"),
        ("1 / (self.size() - 8) == 1", "division by zero"),
        ("self.matches('(')", "invalid regular expression"),
        ("self.find('(') == ''", "the pattern '(' is not RE2"),
    ],
)
def test_run_time_errors(text: str, problem: str) -> None:
    """A failure while a rule runs is an error with a reason."""
    with pytest.raises(CelError) as caught:
        evaluate(text)

    assert problem in str(caught.value)


def test_versions() -> None:
    """An older Kubernetes has fewer libraries."""
    old = KubeEnvironment((1, 29))
    scope = old.scope({"self": "string"})

    assert old.compile("quantity(self).sign() == 1", scope, "BOOL").evaluate(old.bind({"self": "1"})) is True
    with pytest.raises(CelError, match="undeclared reference to 'ip'"):
        old.compile("ip(self).family() == 4", scope, "BOOL")


def test_old_self() -> None:
    """A program knows whether it mentions the old value."""
    scope = NEWEST.scope({"self": "int", "oldSelf": "int"})

    assert NEWEST.compile("self > oldSelf", scope, "BOOL").uses_old_self
    assert not NEWEST.compile("self > 1", scope, "BOOL").uses_old_self


def test_steps() -> None:
    """Loops in loops come to an end."""
    with pytest.raises(CelError) as caught:
        evaluate("self.all(a, self.all(b, self.all(c, true)))", [1] * 40, "list(int)")

    assert str(caught.value) == OUT_OF_STEPS


@pytest.mark.parametrize(
    "value", [{1, 2}, 1 << 70, "\ud800", object()], ids=["set", "large", "surrogate", "object"]
)
def test_values_that_cel_has_not(value: object) -> None:
    """A value that CEL cannot hold is an error, no crash."""
    with pytest.raises(CelError):
        evaluate("self == self", value, "dyn")


def test_signatures_are_unique() -> None:
    """No overload occurs twice in the table."""
    seen = [(function.name, function.parameters, function.member) for function in functions()]

    assert len(seen) == len(set(seen))
