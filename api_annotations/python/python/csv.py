# `csv`: tables in texts.

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = 0, 1, 2, 3


def _fields(line, delimiter, quotechar):
    if quotechar not in line:
        return line.split(delimiter)
    fields, field, is_quoted, place = [], "", False, 0
    while place < len(line):
        letter = line[place]
        if letter == quotechar and is_quoted and line[place + 1:place + 2] == quotechar:
            field += quotechar
            place += 1
        elif letter == quotechar:
            is_quoted = not is_quoted
        elif letter == delimiter and not is_quoted:
            fields.append(field)
            field = ""
        else:
            field += letter
        place += 1
    return fields + [field]


def reader(csvfile, dialect="excel", *, delimiter=None, quotechar='"', skipinitialspace=False, **options):
    delimiter = delimiter or ("\t" if dialect == "excel-tab" else ",")
    for line in csvfile:
        line = line.rstrip("\r\n")
        if not line:
            yield []
            continue
        fields = _fields(line, delimiter, quotechar)
        yield [field.lstrip() for field in fields] if skipinitialspace else fields


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", **options):
        self._rows = reader(f, dialect, **options)
        self._fieldnames = fieldnames
        self.restkey, self.restval = restkey, restval

    @property
    def fieldnames(self):
        if self._fieldnames is None:
            self._fieldnames = next(self._rows)
        return self._fieldnames

    def __iter__(self):
        names = self.fieldnames
        for row in self._rows:
            if not row:
                continue
            entry = dict(zip(names, row))
            if len(names) < len(row):
                entry[self.restkey] = row[len(names):]
            for name in names[len(row):]:
                entry[name] = self.restval
            yield entry


class _Writer:
    def __init__(self, csvfile, delimiter, quotechar, lineterminator):
        self._file = csvfile
        self._delimiter = delimiter
        self._quotechar = quotechar
        self._end = lineterminator

    def _field(self, value):
        text = "" if value is None else str(value)
        quote = self._quotechar
        if self._delimiter in text or quote in text or "\n" in text or "\r" in text:
            return quote + text.replace(quote, quote + quote) + quote
        return text

    def writerow(self, row):
        return self._file.write(self._delimiter.join([self._field(value) for value in row]) + self._end)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


def writer(csvfile, dialect="excel", *, delimiter=None, quotechar='"', lineterminator="\r\n", **options):
    return _Writer(csvfile, delimiter or ("\t" if dialect == "excel-tab" else ","), quotechar, lineterminator)


class DictWriter:
    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", **options):
        self.fieldnames = fieldnames
        self.restval = restval
        self.writer = writer(f, dialect, **options)

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, row):
        return self.writer.writerow([row.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)
