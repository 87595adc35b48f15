/** Paths of DAV. Everything else here loads when the first program asks for one of them. */

const ROOT = '/dav/';
const wellKnown: ReadonlySet<string> = new Set(['/.well-known/caldav', '/.well-known/carddav']);
/** Bytes of a name. Some programs name a resource by its UID. */
const NAME_BYTES = 255;

/**
 * Whether a request is one of DAV. Programs begin at `/`; what browsers ask there stays what it is.
 * @param preflight whether a browser asks what a page of another origin may do
 */
export function isForDav(method: string, pathname: string, preflight: boolean): boolean {
  if (pathname === '/dav' || pathname.startsWith(ROOT) || wellKnown.has(pathname)) return true;
  return pathname === '/' && (method === 'PROPFIND' || (method === 'OPTIONS' && !preflight));
}

/** Where a well-known address leads (RFC 6764 5); undefined for other paths. */
export function redirectOf(pathname: string): string | undefined {
  return wellKnown.has(pathname) ? ROOT : undefined;
}

/**
 * The segments of a path behind `/dav/`, decoded. Each stays one segment: what would be another path when it is decoded is none.
 * @returns undefined for a path that cannot be one
 */
export function segmentsOf(pathname: string): string[] | undefined {
  if (pathname === '/' || pathname === '/dav' || pathname === ROOT) return [];
  if (!pathname.startsWith(ROOT)) return undefined;
  const raw = pathname.slice(ROOT.length).replace(/\/$/, '').split('/');
  const segments: string[] = [];
  for (const one of raw) {
    const segment = decodedSegment(one);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}

function decodedSegment(raw: string): string | undefined {
  let segment: string;
  try {
    segment = decodeURIComponent(raw);
  } catch {
    return undefined;
  }
  return isName(segment) ? segment : undefined;
}

/** Whether it can be the name of something. */
function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  // oxlint-disable-next-line no-control-regex -- they are what no name has
  return Buffer.byteLength(name) <= NAME_BYTES && !/[/\\\u0000-\u001f\u007f]/.test(name) && name.isWellFormed();
}

/** The address of a resource. @param segments behind `/dav/` */
export function pathOf(...segments: readonly string[]): string {
  return `${ROOT}${segments.map(encoded).join('/')}`;
}

/** The address of a collection, which ends with a slash. */
export function collectionPath(...segments: readonly string[]): string {
  return segments.length === 0 ? ROOT : `${pathOf(...segments)}/`;
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(/%(?:40|3A|2B|24|2C|3B|3D)/g, (one) => decodeURIComponent(one));
}

/** The segments that an address in a body means: a path, or a URL of any host, since a proxy may have another one. */
export function segmentsOfHref(address: string): string[] | undefined {
  const [, path = ''] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)$/i.exec(address.trim()) ?? [];
  return path === '' ? undefined : segmentsOf(path);
}
