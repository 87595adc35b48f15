import { passwordSettings, sessionSettings } from '../services/accounts/settings.ts';
import { fileSettings } from '../services/filevault/settings.ts';
import { mailSettings } from '../services/mail/settings.ts';
import { notificationSettings } from '../services/notifications/settings.ts';
import { vaultSettings } from '../services/passvault/settings.ts';
import { quorumSettings } from '../services/quorum/settings.ts';
import { socialSettings } from '../services/social/settings.ts';

/**
 * The settings of all services, by their table in `conclave.toml`. They stand apart from `node/services.ts`, because every command reads the
 * configuration, and few need the services.
 */
export const settings = {
  sessions: sessionSettings,
  passwords: passwordSettings,
  vaults: vaultSettings,
  quorum: quorumSettings,
  files: fileSettings,
  mail: mailSettings,
  notifications: notificationSettings,
  social: socialSettings,
};
