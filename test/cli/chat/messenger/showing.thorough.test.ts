import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Chat from '../../../../commands/chat.ts';
import CreateGroup from '../../../../commands/chat/group/create.ts';
import Send from '../../../../commands/chat/send.ts';
import { encoded, pixelsOf } from '../../../services/filevault/pictures.ts';
import { keys } from '../../run-command.ts';
import { openDeceivingProxy, type DeceivingProxy } from '../deceiving-proxy.ts';
import { openPeopleWithKeys, type PeopleWithKeys } from '../people-with-keys.ts';
import { acting } from './acting.ts';

const names = ['ada', 'bob'] as const;

let people: PeopleWithKeys<(typeof names)[number]>;
let proxy: DeceivingProxy;

beforeAll(async () => {
  people = await openPeopleWithKeys(names, 'the long secret', async (url) => {
    proxy = await openDeceivingProxy(url);
    return proxy.url;
  });
  const picture = join(people.home.folder, 'square.webp');
  await writeFile(picture, encoded(pixelsOf(60, 60, () => [200, 0, 0, 255])).webp);
  for (const [name, ...mode] of [['tea'], ['board', '--mode', 'client']] as const) {
    await people.as('ada', CreateGroup, [name, 'bob', ...mode]);
    await people.as('ada', Send, [`#${name}`, 'Look', '--attach', picture]);
  }
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

/** All files below the folder of Bob's machine. */
const files = async (): Promise<string[]> =>
  (await readdir(join(people.home.folder, 'bob'), { recursive: true })).filter((name) => !name.includes('conclave'));

describe.each(['tea', 'board'])('a picture in #%s, whose download does not end', (name) => {
  const show = async (key: string, ...after: readonly (readonly [string, string])[]) => {
    proxy.received.length = 0;
    const isPicture = ({ path }: { readonly path: string }) => path.startsWith('/api/chat/attachments/');
    proxy.stalls = isPicture;
    try {
      return await people.as('bob', Chat, [], {
        person: acting(['> #', `\t/open ${name}`], ['+ square.webp', '/show'], ['Reading ...', key], ...after),
      });
    } finally {
      proxy.stalls = undefined;
    }
  };

  it('ends with the client at Ctrl-C, which gives the terminal back and leaves no file', async () => {
    const before = await files();
    const ended = await show(keys.interrupt);
    expect(ended.code).toBe(130);
    expect(ended.stderr.endsWith('\u001b[?2004l\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(await files()).toEqual(before);
  });

  it('is left with q', async () => {
    const left = await show('q', ['/help tab:list', '/quit']);
    expect(left.code).toBe(0);
  });
});
