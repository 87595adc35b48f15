import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import Register from '../../../commands/account/register.ts';
import Login from '../../../commands/login.ts';
import Verify from '../../../commands/quorum/audit/verify.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { openEngine } from '../../../src/node/engine.ts';
import { silentLog } from '../../../src/base/log.ts';
import { openQuorumHome } from './quorum-home.ts';

describe('quorum audit verify', () => {
  it(
    'says that all is as it was recorded, or what is not, with an exit code for scripts',
    { tags: 'thorough' },
    async () => {
      await using quorum = await openQuorumHome('process', ['ada', 'bob']);
      const { home, as } = quorum;
      const first = await home.run(Verify, [], as('ada'));
      expect(first).toMatchObject({
        code: 0,
        stdout: 'Everything is as it was recorded.\n2 records are verified, 2 of them new.\n',
      });
      expect((await home.run(Verify, ['--json'], as('ada'))).json()).toMatchObject({ valid: true, newEntries: 0 });
      const { config, secrets } = await loadConfig({ flags: {}, env: home.env });
      const vandal = async (statement: ReturnType<typeof sql>) => {
        await using engine = await openEngine(config, secrets, { log: silentLog });
        await statement.execute(engine.context.db);
      };
      await vandal(sql`update quorum_members set name = 'eve' where id = ${quorum.ids['ada']}`);
      const second = await home.run(Verify, [], as('ada'));
      expect([second.code, second.stdout]).toEqual([
        1,
        [
          'The store was changed past the node:',
          `  members/${quorum.ids['ada']} is not as it was recorded`,
          '2 records are verified, 0 of them new.',
          'Restore what was changed from a backup, and find out who can write to the store.\n',
        ].join('\n'),
      ]);
      await vandal(sql`update quorum_members set name = 'ada' where id = ${quorum.ids['ada']}`);
      expect((await home.run(Verify, [], as('bob'))).code).toBe(0);
    },
  );

  it('is refused to a stranger', async () => {
    await using quorum = await openQuorumHome('process', []);
    const { home } = quorum;
    const env = { CONCLAVE_PASSWORD: 'the long secret of eve' };
    await home.run(Register, ['--username', 'eve', '--email', 'eve@home.test'], { env });
    const token = (await home.run(Login, ['eve', '--print-token'], { env })).stdout.trim();
    const { code, stderr } = await home.run(Verify, [], { env: { CONCLAVE_TOKEN: token } });
    expect([code, stderr]).toEqual([5, 'Error: This is for active members of the quorum.\n']);
  });
});
