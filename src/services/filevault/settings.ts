import { path, serviceUrl } from '../../config/kinds.ts';
import { unset } from '../../config/option.ts';

export const fileSettings = {
  erasureKeysFile: unset(
    'erasure_keys_file',
    path,
    'File of the keys that make destroyed files unreadable in old backups; default: erasure.keys in the data directory. Keep a copy of it apart from the backups',
  ),
  publicUrl: unset(
    'public_url',
    serviceUrl,
    'Address that links to files begin with, such as https://files.example; default: the one that the maker of the link used',
  ),
};
