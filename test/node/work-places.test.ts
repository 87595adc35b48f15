import { expect, it } from 'vitest';
import { places } from '../../src/node/work-places.ts';

/** What bounds the values that each of the others makes, whatever it is given; the limits of requests bound its bytes. */
const bounded: Readonly<Record<string, string>> = {
  'parse-json': 'http/json-bounds.ts counts values and levels first',
  'split-json': 'keys of 5 MiB of JSON, as long as they are',
  'seal-content': 'bytes alone',
  'open-content': 'bytes alone',
  'seal-document': 'bytes alone',
  'unseal-document': 'shares of the members of a quorum',
  'wrap-shares': 'shares of the members of a quorum',
  password: 'a derived key',
  'build-filter': 'the tags of the files of one container',
  'wrap-room-keys': 'keys of the members of one group',
};

it('runs in a process of its own unless something bounds its memory: a failed allocation of a thread ends the server', () => {
  const names = places.filter(({ apart }) => !apart).map(({ name }) => name);
  expect(names.toSorted()).toEqual(Object.keys(bounded).toSorted());
});
