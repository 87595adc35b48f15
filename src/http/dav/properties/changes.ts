import type { DavChange } from '../../../service/ports/dav.ts';
import { plainNumber } from '../../../base/whole-number.ts';
import { childOf, childrenOf, type XmlElement } from '../xml/read.ts';

/** What programs can set of a collection, by the names of properties. */
type Reader = (property: XmlElement) => DavChange | undefined;

const said = (name: 'displayName' | 'description' | 'timezone'): Reader => {
  return ({ text }) => ({ [name]: name === 'timezone' ? text : text.trim() });
};

const readers: Readonly<Record<string, Reader>> = {
  'd:displayname': said('displayName'),
  'c:calendar-description': said('description'),
  'card:addressbook-description': said('description'),
  'c:calendar-timezone': said('timezone'),
  'c:calendar-timezone-id': said('timezone'),
  'a:calendar-color': ({ text }) => {
    const color = colorOf(text);
    return color === undefined ? undefined : { color };
  },
  'a:calendar-order': ({ text }) => {
    const order = plainNumber(text.trim());
    return order === undefined || !Number.isSafeInteger(order) ? undefined : { order };
  },
};

/** What only the making of a collection sets. */
const madeOnce: Readonly<Record<string, Reader>> = {
  'c:supported-calendar-component-set': (property) => {
    const names = childrenOf(property, 'c:comp').map(({ attributes }) => attributes['name']?.toUpperCase() ?? '');
    return { components: names.filter((name) => /^[A-Z-]{1,32}$/.test(name)) };
  },
};

/** The first six digits: programs of Apple add the transparency. */
function colorOf(text: string): string | undefined {
  const [, long, short] = /^#(?:([0-9a-f]{6})(?:[0-9a-f]{2})?|([0-9a-f]{3}))$/i.exec(text.trim()) ?? [];
  if (long !== undefined) return `#${long.toLowerCase()}`;
  return short === undefined ? undefined : `#${short.toLowerCase().replaceAll(/./g, '$&$&')}`;
}

/** One property of a PROPPATCH, and what it changes; undefined: it cannot be changed so. */
export interface ReadChange {
  readonly name: string;
  readonly change: DavChange | undefined;
}

/** What a PROPPATCH wants, in its order (RFC 4918 9.2). */
export function changesIn(update: XmlElement): ReadChange[] {
  return update.children.flatMap((instruction) => {
    if (instruction.name !== 'd:set' && instruction.name !== 'd:remove') return [];
    const properties = childOf(instruction, 'd:prop')?.children ?? [];
    return properties.map((property): ReadChange => {
      const change = instruction.name === 'd:set' ? changeOf(readers, property) : removal(property.name);
      return { name: property.name, change };
    });
  });
}

function changeOf(known: Readonly<Record<string, Reader>>, property: XmlElement): DavChange | undefined {
  return Object.hasOwn(known, property.name) ? known[property.name]?.(property) : undefined;
}

/** What is not there cannot be more so (RFC 4918 14.23); a description can be empty. */
function removal(name: string): DavChange | undefined {
  if (name === 'c:calendar-description' || name === 'card:addressbook-description') return { description: '' };
  return name === 'c:calendar-timezone' || name in readers ? undefined : {};
}

/** With what a collection is made. Properties that nobody knows are left out: programs send some that only their own server has. */
export function madeWith(body: XmlElement | undefined): DavChange {
  const properties = childrenOf(body, 'd:set').flatMap((set) => childOf(set, 'd:prop')?.children ?? []);
  const all = properties.map((property) => changeOf({ ...readers, ...madeOnce }, property));
  return Object.assign({}, ...all) as DavChange;
}

/** The types that an extended MKCOL names (RFC 5689). */
export function typesIn(body: XmlElement | undefined): readonly string[] {
  return childrenOf(body, 'd:set')
    .flatMap((set) => childOf(set, 'd:prop')?.children ?? [])
    .filter(({ name }) => name === 'd:resourcetype')
    .flatMap(({ children }) => children.map(({ name }) => name));
}
