"""Chance from a seed: equal seeds give equal bytes."""

from __future__ import annotations

from hashlib import sha256


class Chance:
    """A stream of bytes: SHA-256 of the seed and a counter.

    Chance(b"seed").take(4) == Chance(b"seed").take(4)
    """

    __slots__ = ("_count", "_left", "_seed")

    def __init__(self, seed: bytes) -> None:
        # The hash gives seeds of any length one length, so that the counter has its own bytes.
        self._seed = sha256(seed).digest()
        self._count = 0
        self._left = b""

    def take(self, length: int) -> bytes:
        """Return the next bytes."""
        parts = [self._left]
        size = len(self._left)
        while size < length:
            parts.append(sha256(self._seed + self._count.to_bytes(8, "big")).digest())
            self._count += 1
            size += 32
        found = b"".join(parts)
        self._left = found[length:]
        return found[:length]

    def below(self, limit: int) -> int:
        """Return a uniform number from 0 to limit - 1; larger ones are drawn again."""
        bits = (limit - 1).bit_length()
        length = (bits + 7) // 8
        while True:
            number = int.from_bytes(self.take(length), "big") >> (length * 8 - bits)
            if number < limit:
                return number

    def prime(self, bits: int) -> int:
        """Return a prime number with its two highest bits set: two of them make a modulus of 2 * bits."""
        while True:
            number = int.from_bytes(self.take(bits // 8), "big") | 3 << (bits - 2) | 1
            if all(number % small for small in _SMALL) and self._seems_prime(number):
                return number

    def _seems_prime(self, number: int) -> bool:
        """Test by Miller and Rabin; 32 rounds accept a composite number with a chance below 1 in 2**64."""
        twos = ((number - 1) & -(number - 1)).bit_length() - 1
        odd = (number - 1) >> twos
        for _ in range(_ROUNDS):
            power = pow(2 + self.below(number - 3), odd, number)
            if power in (1, number - 1):
                continue
            for _ in range(twos - 1):
                power = power * power % number
                if power == number - 1:
                    break
            else:
                return False
        return True


_ROUNDS = 32
_SMALL = [odd for odd in range(3, 2000, 2) if all(odd % other for other in range(3, int(odd**0.5) + 1, 2))]
"""Small primes, which rule out most numbers without a test."""
