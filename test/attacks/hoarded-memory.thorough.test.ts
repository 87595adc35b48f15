import { describe, expect, it } from 'vitest';
import { openScene, said } from '../services/filevault/scene.ts';
import { inStage } from '../support/stage.ts';
import { marked, preview } from '../services/filevault/watermarked.ts';

const MIB = 1024 ** 2;

describe('a text of many lines in a container with watermarks', () => {
  it('is marked without a list of its lines, however it is made of them', async () => {
    await using scene = await openScene('sqljs');
    for (const line of inStage(['\n'], ['\n'], ['\n', '\r\n', 'a\n'])) {
      const text = Buffer.alloc(17 * MIB, line);
      const id = await scene.file(text, { type: 'text/plain' });
      await marked(scene, id, true, true);
      const { status, bytes } = await preview(scene, id);
      expect(status).toBe(200);
      // The codes and the two lines; each code is 98 characters of three bytes.
      expect(bytes.length - text.length).toBeGreaterThan(190 * 98 * 3);
      expect(bytes.length - text.length).toBeLessThan(210 * 98 * 3);
      expect(said(await scene.call('GET', `/files/${id}`))).toBe('200 success');
    }
  });
});
