import type { Implementation } from '../../src/service/implement.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Actor, Guest } from '../../src/service/actor.ts';
import type { Download, Upload } from '../../src/service/raw-bodies.ts';
import type { Context } from '../../src/service/context.ts';
import { operation, rawOperation } from '../../src/contract/operation.ts';

const contract = {
  open: operation({
    id: 'door.open',
    method: 'POST',
    path: '/doors/:door/open',
    envelope: 'system',
    auth: 'member',
    summary: 'Open a door',
    input: v.object({ door: v.string(), wide: v.optional(v.boolean(), false) }),
    reply: v.object({ degrees: v.number() }),
    status: 200,
    message: 'Open',
    errors: [],
  }),
  knock: operation({
    id: 'door.knock',
    method: 'POST',
    path: '/doors/:door/knock',
    envelope: 'system',
    auth: 'none',
    summary: 'Knock',
    input: v.object({ door: v.string() }),
    reply: v.object({}),
    status: 200,
    message: 'Knock',
    errors: [],
  }),
  picture: rawOperation({
    id: 'door.picture',
    method: 'GET',
    path: '/doors/:door/picture',
    envelope: 'system',
    auth: 'optional',
    summary: 'A picture',
    input: v.object({ door: v.string() }),
    status: 200,
    errors: [],
    accepts: [],
    produces: ['image/png'],
  }),
};
type Doors = Implementation<typeof contract>;

describe('the types of an implementation', () => {
  const right: Doors = {
    open: (_ctx, _actor, { wide }) => Promise.resolve({ degrees: wide ? 90 : 30 }),
    knock: () => Promise.resolve({}),
    picture: () => Promise.resolve(new Response()),
  };

  it('follow from the contract', () => {
    expect(Object.keys(right)).toEqual(Object.keys(contract));
    expectTypeOf<Doors['open']>().parameters.toEqualTypeOf<
      [ctx: Context, actor: Actor, input: { door: string; wide: boolean }]
    >();
    expectTypeOf<Doors['open']>().returns.resolves.toEqualTypeOf<{ degrees: number }>();
    expectTypeOf<Doors['knock']>().parameter(1).toEqualTypeOf<Guest>();
    expectTypeOf<Doors['picture']>().parameters.toEqualTypeOf<
      [Context, Actor | Guest, { door: string }, upload: Upload, request: Request]
    >();
    expectTypeOf<Doors['picture']>().returns.resolves.toEqualTypeOf<Download | Response>();
  });

  it('refuse what is missing or wrongly typed', () => {
    const { open: _, ...withoutOpen } = right;
    // @ts-expect-error one operation has no implementation
    const missing: Doors = withoutOpen;
    const wrongReply: Doors = {
      ...right,
      // @ts-expect-error the reply has text where the contract has a number
      open: () => Promise.resolve({ degrees: 'wide' }),
    };
    const wrongInput: Doors = {
      ...right,
      // @ts-expect-error it wants a field that the contract doesn't have
      open: (_ctx: Context, _actor: Actor, input: { handle: string }) =>
        Promise.resolve({ degrees: input.handle.length }),
    };
    const wrongActor: Doors = {
      ...right,
      // @ts-expect-error nobody has signed in where the contract asks for no token
      knock: (_ctx: Context, actor: Actor) => Promise.resolve({ by: actor.memberId }),
    };
    const wrongForm: Doors = {
      ...right,
      // @ts-expect-error a raw operation says of which type its bytes are
      picture: () => Promise.resolve('bytes'),
    };
    expect([missing, wrongReply, wrongInput, wrongActor, wrongForm]).toHaveLength(5);
  });
});

describe('the compiler', () => {
  const source = (path: string) => JSON.stringify(resolve('src', path));
  const head = `
    import { reference } from ${source('contract/reference.ts')};
    import { mount } from ${source('http/mount.ts')};
    declare const routes: Parameters<typeof mount>[0], serving: Parameters<typeof mount>[1];
    const answer = () => Promise.resolve(new Response());
  `;
  const programs: Readonly<Record<string, readonly [program: string, complaint: RegExp | undefined]>> = {
    'right.mts': [
      'mount(routes, serving, reference, { welcome: answer, icon: answer, guide: answer, document: answer, events: answer, page: answer, style: answer });',
      undefined,
    ],
    'missing.mts': [
      'mount(routes, serving, reference, { welcome: answer, icon: answer, guide: answer, document: answer, events: answer, page: answer });',
      /TS2741: Property 'style' is missing/,
    ],
    'wrong-reply.mts': [
      "mount(routes, serving, reference, { welcome: answer, icon: answer, guide: answer, document: answer, events: answer, page: answer, style: () => Promise.resolve('body {}') });",
      /TS2322/,
    ],
    'wrong-input.mts': [
      'mount(routes, serving, reference, { welcome: answer, icon: answer, guide: answer, document: answer, events: answer, page: (_ctx: unknown, _guest: unknown, input: { page: number }) => answer(), style: answer });',
      /TS2322/,
    ],
  };

  it('refuses to mount a service that does not fit its contract', { tags: 'soak' }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conclave-types-'));
    try {
      const compilerOptions = {
        typeRoots: [resolve('node_modules/@types')],
        noUnusedLocals: false,
        noUnusedParameters: false,
      };
      const project = { extends: resolve('tsconfig.json'), compilerOptions, include: ['*.mts'] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
      for (const [name, [program]] of Object.entries(programs)) await writeFile(join(folder, name), head + program);
      const { stdout, exitCode } = await execa(
        'node',
        [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
        {
          reject: false,
        },
      );
      expect(exitCode).not.toBe(0);
      for (const [name, [, complaint]] of Object.entries(programs)) {
        const said = stdout.split(/\n(?=\S)/).filter((line) => line.includes(name));
        if (complaint === undefined) expect(said, name).toEqual([]);
        else expect(said.join('\n'), name).toMatch(complaint);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
