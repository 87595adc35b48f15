import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { doors } from './doors.ts';

const { config } = await loadConfig({ flags: { 'data-dir': '/nowhere' }, env: {}, home: '/nowhere', cwd: '/nowhere' });

describe('an operation whose reply decides', () => {
  it('has a response for each status, with what it says, and the scope that may call it', () => {
    const door = { name: 'door', title: 'Doors', text: 'Doors of a house.', contract: doors };
    const { paths } = openApiDocument([door], config.limits, '1');
    const knock = paths['/api/social/doors/{door}/knocks']!['post']!;
    expect(knock['x-scope']).toBe('files');
    expect(knock.responses['200']).toMatchObject({ description: 'Somebody opens' });
    expect(knock.responses['202']).toMatchObject({ description: 'Nobody is in' });
    expect(paths['/api/social/doors']!['post']).not.toHaveProperty('x-scope');
  });
});
