import { createQueryId, SqliteQueryCompiler, type RootOperationNode } from 'kysely';
import { engineStatements as integrate } from '../../src/platform/ledger/integrate.ts';
import { engineStatements as waiting } from '../../src/platform/ledger/waiting.ts';
import { engineStatements as census } from '../../src/platform/store/census.ts';
import type { EngineName } from '../../src/platform/store/database.ts';
import { ServerCompiler, type EngineStatements } from '../../src/platform/store/per-engine.ts';
import { engineStatements as memberStorage } from '../../src/platform/store/member-storage.ts';
import { engineStatements as search } from '../../src/platform/store/search/dialect.ts';
import { engineStatements as countedColumns } from '../../src/platform/store/transfer/counted-columns.ts';
import { engineStatements as references } from '../../src/platform/store/transfer/references.ts';
import { engineStatements as verify } from '../../src/platform/store/verify.ts';
import { engineStatements as newest } from '../../src/services/social/feeds/newest.ts';
import { engineStatements as ranked } from '../../src/services/social/feeds/ranked-feeds.ts';
import { engineStatements as follows } from '../../src/services/social/people/follows.ts';
import { engineStatements as groupKeys } from '../../src/shared/group-keys/keys.ts';

/** What only one engine runs, by the file that has it. */
export const registered: Readonly<Record<string, EngineStatements>> = {
  'src/platform/ledger/integrate.ts': integrate,
  'src/platform/ledger/waiting.ts': waiting,
  'src/platform/store/census.ts': census,
  'src/platform/store/member-storage.ts': memberStorage,
  'src/platform/store/search/dialect.ts': search,
  'src/platform/store/transfer/counted-columns.ts': countedColumns,
  'src/platform/store/transfer/references.ts': references,
  'src/platform/store/verify.ts': verify,
  'src/services/social/feeds/newest.ts': newest,
  'src/services/social/feeds/ranked-feeds.ts': ranked,
  'src/services/social/people/follows.ts': follows,
  'src/shared/group-keys/keys.ts': groupKeys,
};

const compilers = { sqljs: new SqliteQueryCompiler(), postgres: new ServerCompiler() };

/** The texts of one side, each with the file that has it. */
export function textsOf(engine: EngineName, of = registered): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [place, statements] of Object.entries(of)) {
    for (const one of statements[engine]()) {
      const text =
        'sql' in one
          ? one.sql
          : compilers[engine].compileQuery(one.toOperationNode() as RootOperationNode, createQueryId()).sql;
      texts.set(text, place);
    }
  }
  return texts;
}
