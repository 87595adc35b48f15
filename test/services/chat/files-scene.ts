import type { UploadedFile } from '../../../src/contract/chat/attachments.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { ApiAnswer, HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openChat, type ChatScene } from './scene.ts';

const path = '/api/chat/attachments';

interface SentFile {
  readonly filename?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

/** A node whose members send files to each other. */
export interface FilesScene extends ChatScene {
  upload(who: HouseMember, content: Uint8Array | string, file?: SentFile): Promise<ApiAnswer>;
  /** the same; answers `data`, and throws for a failure */
  uploaded(who: HouseMember, content: Uint8Array | string, file?: SentFile): Promise<UploadedFile>;
  get(
    who: HouseMember,
    id: string,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }>;
  remove(who: HouseMember, id: string): Promise<ApiAnswer>;
  /** files that the node has in blocks of their own */
  blocks(): Promise<number>;
}

export async function openFiles(engine: EngineName, options: HouseOptions = {}): Promise<FilesScene> {
  const chat = await openChat(engine, options);
  const { house } = chat;
  const upload: FilesScene['upload'] = async ({ token }, content, { filename = 'a.txt', type, headers } = {}) => {
    const rawBody = Uint8Array.from(Buffer.from(content));
    return await house.api('POST', `${path}?filename=${encodeURIComponent(filename)}`, {
      token,
      rawBody,
      headers: {
        'content-type': type ?? 'text/plain; charset=utf-8',
        'content-length': String(rawBody.length),
        ...headers,
      },
    });
  };
  return {
    ...chat,
    upload,
    async uploaded(...request) {
      const { status, body } = await upload(...request);
      if (status !== 201) throw new Error(`the upload answered ${status} ${JSON.stringify(body)}`);
      return body.data as UploadedFile;
    },
    async get({ token }, id, headers = {}) {
      const request = new Request(`http://house.test${path}/${id}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      const response = await house.fetch(request);
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    remove: async ({ token }, id) => await house.api('DELETE', `${path}/${id}`, { token }),
    async blocks() {
      let found = 0;
      for await (const _ of house.ctx.blocks.list('')) found += 1;
      return found;
    },
  };
}
