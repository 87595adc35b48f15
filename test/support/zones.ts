export const domains = new Set([
  'accounts',
  'node',
  'ledger',
  'pool',
  'passvault',
  'quorum',
  'mail',
  'filevault',
  'social',
  'chat',
  'calendar',
]);

/** Folders of src that only group: each folder or file in them is a zone. */
const groupings = new Set(['base', 'node', 'platform', 'service', 'services', 'shared']);

/** Zones that lie in another one. */
const innerZones: Readonly<Record<string, string>> = {
  'src/config/settings.ts': 'settings',
  'src/http/pages/share-page/': 'share-page',
  'src/http/smtp/': 'smtp',
};

/** Of a zone that is not in the table of architecture.ts, nothing may be imported and it may import nothing: add it there first. */
export function zoneOf(path: string): string {
  const [top, next = '', inner = ''] = path.split('/');
  if (top !== 'src') return top ?? '';
  const within = Object.keys(innerZones).find((start) => path.startsWith(start));
  return innerZones[within ?? ''] ?? (groupings.has(next) ? inner : next).replace(/\.ts$/, '');
}
