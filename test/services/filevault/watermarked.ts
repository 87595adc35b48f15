import type { Scene } from './scene.ts';

/** The preview as it is sent. */
export async function preview(
  scene: Scene,
  id: string,
  token = scene.owner.token,
  headers: Record<string, string> = {},
) {
  const answer = await scene.house.fetch(
    new Request(`http://house.test/filevault/files/${id}/preview`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    }),
  );
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Asks whose preview it is. */
export const read = async (scene: Scene, bytes: Uint8Array, token = scene.owner.token) =>
  await scene.call('POST', '/watermark/read', undefined, {
    token,
    rawBody: Uint8Array.from(bytes),
    headers: { 'content-type': 'application/octet-stream' },
  });

/** Puts watermarks on what a file is previewed as. */
export async function marked(scene: Scene, id: string, visible: boolean, invisible: boolean): Promise<void> {
  await scene.get('PATCH', `/files/${id}`, { visibleWatermark: visible, invisibleWatermark: invisible });
}
