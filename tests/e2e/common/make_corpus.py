"""A small corpus with a known answer, for the cases of text and topics: three subjects, each with an
anchor word, as a folder of files and as one document per line; and files with a fault each."""
import os
import random

SUBJECTS = {
    "garden": ["roses", "soil", "water", "spade", "seeds", "bloom", "hedge", "weeds"],
    "kitchen": ["flour", "water", "oven", "butter", "dough", "spice", "bowl", "yeast"],
    "harbour": ["ships", "tide", "water", "anchor", "sails", "crane", "ropes", "gulls"],
}
COMMON = ["the", "and", "of", "morning", "people", "time", "work", "old"]


def documents(count, seed=1):
    draw = random.Random(seed)
    for _ in range(count):
        main, other = draw.sample(sorted(SUBJECTS), 2)
        words = []
        for _ in range(40):
            subject = main if draw.random() < 0.85 else other
            kind = draw.random()
            words.append(draw.choice(COMMON) if kind < 0.4 else
                         subject if kind < 0.5 else draw.choice(SUBJECTS[subject]))
        yield " ".join(words).capitalize() + "."


def main():
    texts = list(documents(60))
    os.makedirs("texts/more")
    for i, text in enumerate(texts):
        folder = "texts/more" if i >= 50 else "texts"
        with open(f"{folder}/{i + 1}.txt", "w") as file:
            file.write(text + "\r\n")
    with open("lines.txt", "w") as file:
        file.write("\n".join(texts) + "\n")
    with open("holes.txt", "w") as file:
        file.write("\n".join(texts[:20] + ["", "12 34 !"] + texts[20:]) + "\n")
    with open("latin.txt", "wb") as file:
        file.write("\n".join(texts[:3]).encode() + "\ncaf\u00e9 cr\u00e8me\n".encode("latin1"))
    with open("binary.txt", "wb") as file:
        file.write(b"some\0thing")
    with open("utf16.txt", "wb") as file:
        file.write("some text".encode("utf-16"))


main()
