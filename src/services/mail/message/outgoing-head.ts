import { Problem } from '../../../base/problem.ts';

/** Octets of the header section of a message that another program wrote. */
const MOST_HEAD = 256 * 1024;
/** RFC 5322, 2.1.1; without CRLF. */
const LONGEST_LINE = 998;
const CR = 13;
const LF = 10;

/** What is done with the head of a message before it is sent. */
export interface HeadChanges {
  /** fields that go, in lower case */
  readonly remove: readonly string[];
  /** fields that are added where there are none of the name; values are checked by the caller */
  readonly add: Readonly<Record<string, () => string>>;
  /** hears of each field that goes; the name is in lower case, and the value unfolded */
  removed?(this: void, name: string, value: string): void;
}

function malformed(reason: string): Problem {
  return new Problem('invalid', 'EMAIL_MALFORMED', `The message ${reason}.`);
}

/**
 * Passes on a message with another head, piece by piece. Lines end with CRLF: octets that others take for line ends can smuggle a message
 * into another one (CVE-2023-51764).
 * @throws Problem invalid EMAIL_MALFORMED for bare CR or LF, NUL, too long lines, and a head that is no head
 */
export async function* withHead(octets: AsyncIterable<Uint8Array>, changes: HeadChanges): AsyncGenerator<Uint8Array> {
  const check = lineChecker();
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of octets) {
    check.take(piece);
    if (head === undefined) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    const end = endOf(head);
    if ((end ?? head.length) > MOST_HEAD) throw malformed('has a header section of more than 256 KiB');
    if (end === undefined) continue;
    yield changedHead(head.subarray(0, end), changes);
    if (head.length > end) yield head.subarray(end);
    head = undefined;
  }
  check.end();
  // A message may have no body.
  if (head !== undefined)
    yield changedHead(Buffer.concat([head, Buffer.from(head.length === 0 ? '' : '\r\n')]), changes);
}

/** Where the body begins, after the empty line. */
function endOf(head: Buffer): number | undefined {
  if (head.length >= 2 && head[0] === CR && head[1] === LF) return 2;
  const at = head.indexOf('\r\n\r\n');
  return at === -1 ? undefined : at + 4;
}

function changedHead(head: Buffer, { remove, add, removed }: HeadChanges): Buffer {
  // Each octet is one character, so nothing is lost.
  const lines = head
    .toString('latin1')
    .replace(/(?:\r\n)+$/, '')
    .split('\r\n');
  const fields: string[] = [];
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      if (fields.length === 0) throw malformed('begins with a folded line');
      fields[fields.length - 1] += `\r\n${line}`;
    } else if (/^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(line)) fields.push(line);
    else throw malformed('has a line in its header section that is no field');
  }
  const nameOf = (field: string) => field.slice(0, field.indexOf(':')).trim().toLowerCase();
  const stay = fields.filter((field) => {
    const name = nameOf(field);
    if (!remove.includes(name)) return true;
    const value = field.slice(field.indexOf(':') + 1).replaceAll('\r\n', '');
    removed?.(name, Buffer.from(value, 'latin1').toString('utf8').trim());
    return false;
  });
  const present = new Set(stay.map(nameOf));
  const more = Object.entries(add).flatMap(([name, value]) =>
    present.has(name.toLowerCase()) ? [] : [`${name}: ${value()}`],
  );
  return Buffer.from(`${[...more, ...stay].join('\r\n')}\r\n\r\n`, 'latin1');
}

/** Looks at line ends in a stream. */
function lineChecker() {
  let afterCr = false;
  let length = 0;
  return {
    take(piece: Uint8Array): void {
      for (const octet of piece) {
        if (octet === LF) {
          if (!afterCr) throw malformed('has a line feed without a carriage return before it');
          afterCr = false;
          length = 0;
          continue;
        }
        if (afterCr) throw malformed('has a carriage return without a line feed after it');
        if (octet === 0) throw malformed('has a NUL octet');
        if (octet === CR) afterCr = true;
        else if (++length > LONGEST_LINE) throw malformed(`has a line of more than ${LONGEST_LINE} octets`);
      }
    },
    end(): void {
      if (afterCr) throw malformed('ends with a carriage return');
    },
  };
}
