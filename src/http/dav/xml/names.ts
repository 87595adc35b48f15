/** Names of elements: `d:href` for those of a known namespace, `{namespace}name` for others. */

const namespaces = {
  d: 'DAV:',
  c: 'urn:ietf:params:xml:ns:caldav',
  card: 'urn:ietf:params:xml:ns:carddav',
  cs: 'http://calendarserver.org/ns/',
  a: 'http://apple.com/ns/ical/',
} as const;

const prefixOf = new Map<string, string>(Object.entries(namespaces).map(([prefix, uri]) => [uri, prefix]));

/** What the outermost element of an answer declares. */
export const declarations = Object.entries(namespaces)
  .map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`)
  .join('');

export function nameOf(uri: string, local: string): string {
  const prefix = prefixOf.get(uri);
  return prefix === undefined ? `{${uri}}${local}` : `${prefix}:${local}`;
}

/** The namespace and the local name of an unknown one. */
export function partsOf(name: string): { readonly uri: string; readonly local: string } | undefined {
  const [, uri, local] = /^\{(.*)\}([^}]*)$/s.exec(name) ?? [];
  return uri === undefined || local === undefined ? undefined : { uri, local };
}
