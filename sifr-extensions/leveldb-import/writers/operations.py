#!/usr/bin/env python3
"""Writes a file of operations, the same for every writer: operations.py COUNT SEED FILE

A line is one operation: P KEY VALUE, D KEY, or B N, which makes the next N lines one batch. Keys and
values are hexadecimal digits; a value may be empty.
"""
import random
import sys

count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
draw = random.Random(seed)


def key():
    number = draw.randrange(count * 2 // 5)
    if number % 50 == 0:
        return ("ff" if number % 100 else "00") * (number % 7 + 1) + "%06x" % number
    return ("key %09d" % number).encode().hex() + "61" * (number % 13)


def value():
    kind = draw.random()
    if kind < 0.05:
        return ""
    if kind < 0.70:
        return (b"value " * draw.randrange(1, 30) + b"%d" % draw.randrange(10**9)).hex()
    if kind < 0.998:
        return draw.randbytes(draw.randrange(1, 200)).hex()
    return draw.randbytes(draw.randrange(200, 100_000)).hex()


def operation():
    return "D " + key() if draw.random() < 0.2 else "P " + key() + " " + value()


with open(path, "w") as out:
    done = 0
    while done < count:
        size = 1 if draw.random() < 0.9 else min(count - done, draw.randrange(2, 40))
        if size > 1:
            out.write("B %d\n" % size)
        for _ in range(size):
            out.write(operation() + "\n")
        done += size
