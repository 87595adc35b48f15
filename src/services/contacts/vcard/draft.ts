import { folded, propertiesOf, type Property } from './lines.ts';

/** A vCard while it is changed. What nobody touches stays octet for octet. */
export interface Draft {
  readonly properties: readonly Property[];
  /** where the properties of this name stand */
  placesOf(name: string): number[];
  /** puts lines where the first of the places is, and removes what stood in all of them; without a place, at the end */
  replace(places: readonly number[], lines: readonly string[]): void;
  /** puts a line behind a place */
  insertBehind(place: number, line: string): void;
  /** a name for a group that no line has */
  newGroup(): string;
  text(): string;
}

export function draftOf(text: string): Draft {
  const properties = propertiesOf(text);
  const lines = properties.map(({ raw }) => raw);
  const last = lines.pop() ?? '';
  const added: string[] = [];
  const end = /\r\n|\n|\r/.exec(text)?.[0] ?? '\r\n';
  const groups = new Set(properties.map(({ group }) => group.toLowerCase()));
  const written = (some: readonly string[]): string => some.map((line) => folded(line, end)).join('');
  return {
    properties,
    placesOf: (name) => properties.flatMap((property, index) => (property.name === name ? [index] : [])),
    replace(places, some) {
      const [first] = places.toSorted((one, other) => one - other);
      for (const place of places) lines[place] = '';
      if (first === undefined) added.push(written(some));
      else lines[first] = written(some);
    },
    insertBehind(place, line) {
      lines[place] = `${lines[place] ?? ''}${written([line])}`;
    },
    newGroup() {
      let number = 1;
      while (groups.has(`item${number}`)) number += 1;
      groups.add(`item${number}`);
      return `item${number}`;
    },
    text: () => [...lines, ...added, last].join(''),
  };
}
