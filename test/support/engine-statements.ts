import { createQueryId, SqliteQueryCompiler, type RootOperationNode } from 'kysely';
import { engineStatements as integrate } from '../../src/ledger/integrate.ts';
import { engineStatements as waiting } from '../../src/ledger/waiting.ts';
import { engineStatements as roomKeys } from '../../src/room-keys/keys.ts';
import { engineStatements as newest } from '../../src/services/social/feeds/newest.ts';
import { engineStatements as ranked } from '../../src/services/social/feeds/ranked-feeds.ts';
import { engineStatements as census } from '../../src/store/census.ts';
import type { EngineName } from '../../src/store/database.ts';
import { ServerCompiler, type EngineStatements } from '../../src/store/per-engine.ts';
import { engineStatements as search } from '../../src/store/search/dialect.ts';
import { engineStatements as countedColumns } from '../../src/store/transfer/counted-columns.ts';
import { engineStatements as references } from '../../src/store/transfer/references.ts';
import { engineStatements as verify } from '../../src/store/verify.ts';

/** What only one engine runs, by the file that has it. */
export const registered: Readonly<Record<string, EngineStatements>> = {
  'src/ledger/integrate.ts': integrate,
  'src/ledger/waiting.ts': waiting,
  'src/room-keys/keys.ts': roomKeys,
  'src/services/social/feeds/newest.ts': newest,
  'src/services/social/feeds/ranked-feeds.ts': ranked,
  'src/store/census.ts': census,
  'src/store/search/dialect.ts': search,
  'src/store/transfer/counted-columns.ts': countedColumns,
  'src/store/transfer/references.ts': references,
  'src/store/verify.ts': verify,
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
