import { utf8 } from '../../../crypto/bytes.ts';
import { bytesOf, decoded } from './charset.ts';
import { folded, paramValues, physicalLines, readProperty, vcardProblem, withoutEnd, type Property } from './lines.ts';
import { quotedPrintable } from './quoted-printable.ts';
import { componentValue, escapeValue, splitValue } from './values.ts';

/**
 * Version 2.1 (versit, 1996), as Outlook and old telephones write it, in version 3.0. It has types that stand by themselves, quoted-printable
 * with encodings of its own, pictures up to an empty line, and vCards in vCards.
 */

const versionLine = /^VERSION\s*:\s*2\.1\s*$/im;

export function isOldVersion(text: string): boolean {
  return versionLine.test(text);
}

const structured: ReadonlySet<string> = new Set(['N', 'ADR', 'ORG', 'GEO']);
const encodings: ReadonlySet<string> = new Set(['QUOTED-PRINTABLE', 'BASE64', '7BIT', '8BIT', 'B', 'Q']);

/**
 * @param form whether characters are characters, or bytes
 * @throws Problem invalid VALIDATION_ERROR
 */
export function fromOldVersion(text: string, form: 'text' | 'binary'): string {
  const lines: string[] = [];
  let named = false;
  let fallback = '';
  for (const property of oldProperties(text)) {
    const { name } = property;
    if (name === 'VERSION') lines.push('VERSION:3.0');
    else if (name === 'BEGIN' || name === 'END') lines.push(`${name}:VCARD`);
    else {
      const line = newLine(property, form);
      lines.push(line);
      named ||= name === 'FN';
      const value = line.slice(line.indexOf(':') + 1);
      // Version 3.0 wants a name to show. Which property has one depends on the program.
      if (name === 'N')
        fallback = splitValue(value, ';')
          .slice(0, 2)
          .toReversed()
          .filter((part) => part !== '')
          .join(' ');
      else if (fallback === '' && (name === 'ORG' || name === 'EMAIL')) fallback = splitValue(value, ';')[0] ?? '';
    }
  }
  if (!named) lines.splice(2, 0, `FN:${fallback}`);
  return lines.map((line) => folded(line)).join('');
}

function newLine(property: Property, form: 'text' | 'binary'): string {
  const { group, name, params } = property;
  const types = paramValues(property, 'TYPE').filter((type) => !encodings.has(type.toUpperCase()));
  const isBinary = encodingOf(property) === 'BASE64';
  const kept = params.flatMap((param) =>
    ['', 'TYPE', 'ENCODING', 'CHARSET', 'CONTENT-ID', 'VALUE'].includes(param.name)
      ? []
      : [`;${param.name}=${param.values.map((value) => (/[,:;]/.test(value) ? `"${value}"` : value)).join(',')}`],
  );
  const places = paramValues(property, 'VALUE').some((value) => value === 'url' || value === 'uri');
  const head = [
    group === '' ? name : `${group}.${name}`,
    ...(isBinary ? [';ENCODING=b'] : []),
    ...(types.length > 0 ? [`;TYPE=${types.map((type) => type.toUpperCase()).join(',')}`] : []),
    ...(places ? [';VALUE=uri'] : []),
    ...kept,
  ].join('');
  if (isBinary) return `${head}:${property.value.replaceAll(/\s+/g, '')}`;
  return `${head}:${places || name === 'URL' ? textOf(property, form) : escaped(name, textOf(property, form))}`;
}

function encodingOf(property: Property): string {
  const told = property.params.flatMap(({ name, values }) =>
    name === 'ENCODING' || name === '' ? values.map((value) => value.toUpperCase()) : [],
  );
  if (told.some((value) => value === 'BASE64' || value === 'B')) return 'BASE64';
  return told.some((value) => value === 'QUOTED-PRINTABLE' || value === 'Q') ? 'QUOTED-PRINTABLE' : '';
}

function textOf(property: Property, form: 'text' | 'binary'): string {
  const [charset] = paramValues(property, 'CHARSET');
  const bytes = form === 'binary' ? bytesOf(property.value) : utf8(property.value);
  if (encodingOf(property) === 'QUOTED-PRINTABLE') return decoded(quotedPrintable(bytes), charset);
  return form === 'binary' ? decoded(bytes, charset) : property.value;
}

function escaped(name: string, text: string): string {
  // Some programs escape commas and backslashes, which this version does not ask for.
  const plain = (part: string): string => part.replaceAll(/\\([\\;,:])/g, '$1');
  if (structured.has(name)) return componentValue(splitValue(text, ';').map(plain));
  if (name === 'CATEGORIES' || name === 'NICKNAME')
    return splitValue(text, ',')
      .map((part) => escapeValue(plain(part)))
      .join(',');
  return escapeValue(plain(text));
}

const base64Line = /^[ \t]*[A-Za-z0-9+/]+={0,2}[ \t]*$/;

/** Properties with their soft line breaks, folds, pictures and inner vCards. @throws Problem invalid VALIDATION_ERROR */
function* oldProperties(text: string): Generator<Property> {
  const lines = Array.from(physicalLines(text), withoutEnd);
  for (let at = 0; at < lines.length; at += 1) {
    const first = lines[at] ?? '';
    if (first.trim() === '') continue;
    const property = readProperty(first);
    if (property === undefined)
      throw vcardProblem(`has a line that is no property: ${JSON.stringify(first.slice(0, 40))}`);
    const values = [property.value];
    const encoding = encodingOf(property);
    if (property.name === 'AGENT' && property.value.trim() === '') {
      const inner = [];
      for (at += 1; at < lines.length && !/^END\s*:\s*VCARD\s*$/i.test(lines[at] ?? ''); at += 1) inner.push(lines[at]);
      values.push([...inner, lines[at] ?? ''].join('\n'));
    } else if (encoding === 'BASE64') {
      while (at + 1 < lines.length && base64Line.test(lines[at + 1] ?? '')) values.push(lines[(at += 1)] ?? '');
    } else if (encoding === 'QUOTED-PRINTABLE') {
      while (values.at(-1)?.endsWith('=') === true && at + 1 < lines.length) {
        values.push(values.pop()?.slice(0, -1) ?? '', lines[(at += 1)] ?? '');
      }
    }
    // A fold of this version is a line end before a space, which stays.
    else while (/^[ \t]/.test(lines[at + 1] ?? '')) values.push(lines[(at += 1)] ?? '');
    yield { ...property, value: values.join('') };
  }
}
