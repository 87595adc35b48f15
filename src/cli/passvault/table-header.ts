const longestHeader = 64 * 1024;
const separators = [',', ';', '\t'];

/**
 * The column names of a table, for questions to the person. The server itself parses the table.
 *
 * @returns undefined if the first line does not have two names
 */
export function headerOf(bytes: Buffer): string[] | undefined {
  const start = textOf(bytes.subarray(0, longestHeader))
    .replace(/^sep=[,;\t]\r*\n/i, '')
    .replace(/^[\r\n]+/, '');
  const cells = separators.map((separator) => cellsOf(start, separator));
  const [most = []] = cells.toSorted((one, other) => other.length - one.length);
  const names = most.map((name) => name.trim()).filter((name) => name !== '');
  return names.length < 2 || new Set(names.map((name) => name.toLowerCase())).size < names.length ? undefined : names;
}

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le').slice(1);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/** The cells of the first record. A quote begins a cell or is an ordinary character. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted && char === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && (quoted || cell === '')) quoted = !quoted;
    else if (!quoted && char === separator) {
      cells.push(cell);
      cell = '';
    } else if (!quoted && (char === '\n' || char === '\r')) break;
    else cell += char;
  }
  return [...cells, cell];
}
