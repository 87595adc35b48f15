import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { renderReference } from '../../src/http/pages/reference/rendered.ts';
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

  it('shows each of them in the reference, and the fields once', () => {
    const door = { name: 'door', title: 'Doors', text: 'Doors of a house.', contract: doors };
    const page = renderReference([door], config.limits, '1').page('');
    const article = (id: string) => /^.*?<\/article>/s.exec(page.split(`<article id="${id}">`)[1] ?? '')?.[0] ?? '';
    const answers = (id: string) =>
      [...article(id).matchAll(/<h4>Answer <span class="status">(\d+)</g)].map(([, is]) => is);
    expect(answers('door.knock')).toEqual(['200', '202']);
    const knock = article('door.knock');
    expect(knock).toContain('Somebody opens');
    expect(knock).toContain('Nobody is in. Content as of 200');
    expect(knock.match(/opened<\/code>/g)).toHaveLength(1);
    // One that there is alone is as short as it was, and errors are none of them.
    expect(answers('door.create')).toEqual(['201']);
    expect(article('door.create')).not.toContain('Content as of');
  });
});
