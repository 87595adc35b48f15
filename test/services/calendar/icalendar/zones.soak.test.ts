import { describe, it } from 'vitest';
import { expectSameOffsets } from './same-offsets.ts';

describe('descriptions of all zones', () => {
  it.each(Intl.supportedValuesOf('timeZone'))('of %s are read with the same offsets', (zone) => {
    expectSameOffsets(zone);
  });
});
