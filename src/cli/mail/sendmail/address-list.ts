/** A list of addresses as a header field has it. */
export interface AddressList {
  /** with a domain behind every address that had none */
  readonly text: string;
  /** the addresses alone, without names */
  readonly addresses: readonly string[];
}

/** A quoted text, a comment, an address in angle brackets, or one character. Comments in comments are rare, and read as far as one level. */
const token = /"(?:[^"\\]|\\[^])*"|\((?:[^()\\]|\\[^]|\((?:[^()\\]|\\[^])*\))*\)|<[^<>]*>|[^]/g;

/** Reads what header fields and arguments name (RFC 5322, 3.4). What cannot be read stays as it is, and the server refuses it. */
export function addressList(value: string, domain: string): AddressList {
  const parts: string[] = [];
  const addresses: string[] = [];
  let current: string[] = [];
  const finish = (separator: string) => {
    const { text, address } = completed(current, domain);
    if (address !== undefined) addresses.push(address);
    parts.push(text + separator);
    current = [];
  };
  for (const [one] of value.matchAll(token)) {
    if (one === ',' || one === ';') finish(one);
    else if (one === ':') {
      // The name of a group.
      parts.push(current.join('') + one);
      current = [];
    } else current.push(one);
  }
  finish('');
  return { text: parts.join(''), addresses };
}

function completed(
  tokens: readonly string[],
  domain: string,
): { readonly text: string; readonly address?: string | undefined } {
  const text = tokens.join('');
  const angle = tokens.findIndex((one) => one.startsWith('<') && one.length > 1);
  if (angle !== -1) {
    const inside = tokens[angle]?.slice(1, -1).trim() ?? '';
    if (inside === '') return { text };
    const address = withDomain(inside, domain);
    return { text: tokens.with(angle, `<${address}>`).join(''), address };
  }
  const bare = tokens
    .filter((one) => !one.startsWith('('))
    .join('')
    .trim();
  if (bare === '' || /\s/.test(bare)) return { text };
  const address = withDomain(bare, domain);
  return { text: address === bare ? text : text.replace(bare, () => address), address };
}

function withDomain(address: string, domain: string): string {
  return address.replace(/^"(?:[^"\\]|\\[^])*"/, '').includes('@') ? address : `${address}@${domain}`;
}
