import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { listServers, serverTable } from '../../src/cli/accounts/known-servers.ts';

export default class List extends ConclaveCommand {
  static override summary = 'List the known servers, their nodes, and the one that commands use';
  static override description =
    'local is the store on this machine. NODE is the node id that the server proved at the first sign-in. Compare it with conclave status on the server. It stays known after a logout, until conclave server forget. --server, CONCLAVE_SERVER, --data-dir and CONCLAVE_DATA_DIR override the server in use.';
  static override examples = ['<%= config.bin %> server list'];

  async run(): Promise<void> {
    await this.parse(List);
    const servers = await listServers(this.terminal.env);
    await this.answer({ servers }, (screen) => serverTable(screen, servers));
  }
}
