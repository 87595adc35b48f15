import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Login from '../../commands/login.ts';
import MediaUpload from '../../commands/social/media/upload.ts';
import PostCommand from '../../commands/social/post.ts';
import Quote from '../../commands/social/quote.ts';
import Reply from '../../commands/social/reply.ts';
import { gif } from '../services/filevault/pictures.ts';
import { openHome, rootPassword, fewWays } from './home.ts';

describe.each(fewWays)('media of the command line, by way of %s', (way) => {
  it('are uploaded with their descriptions, and go with a post', async () => {
    await using home = await openHome(way);
    expect((await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } })).code).toBe(0);
    const file = join(home.folder, 'tulips.gif');
    await writeFile(
      file,
      gif(16, 8, () => true),
    );
    const alone = await home.run(MediaUpload, [file, '--alt', 'Tulips', '--sensitive', '--json']);
    expect(JSON.parse(alone.stdout)).toMatchObject({
      mimeType: 'image/gif',
      width: 16,
      altText: 'Tulips',
      sensitive: true,
    });
    const shown = await home.run(MediaUpload, [file]);
    expect(shown.stdout).toMatch(/image\/gif[^]*16 x 8/);
    const post = await home.run(PostCommand, ['Look', '--media', file, '--media', file, '--alt', 'First', '--json']);
    expect(JSON.parse(post.stdout).mediaAttachments).toMatchObject([{ altText: 'First' }, { altText: '' }]);
    const id = post.json()['_id'];
    for (const command of [Reply, Quote]) {
      const answer = await home.run(command, [id, 'And here', '--media', file, '--alt', 'Second', '--json']);
      expect(answer.json().mediaAttachments).toMatchObject([{ altText: 'Second' }]);
      const more = await home.run(command, [id, 'And here', '--media', file, '--alt', 'One', '--alt', 'Two']);
      expect([more.code, more.stderr]).toEqual([2, expect.stringContaining('more descriptions (--alt)')]);
    }
    const five = await home.run(PostCommand, ['Look', ...Array.from({ length: 5 }, () => ['--media', file]).flat()]);
    expect([five.code, five.stderr]).toEqual([2, expect.stringContaining('at most 4 media')]);
    const missing = await home.run(PostCommand, ['Look', '--media', join(home.folder, 'none.gif')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('none.gif')]);
    const text = await home.file('text', 'no picture');
    const refused = await home.run(MediaUpload, [text]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('must be a JPEG')]);
  });
});
