/** The names that the importers of Chromium and Firefox take for a column; the first that is there counts. */
export const URL_COLUMNS = ['url', 'website', 'origin', 'hostname', 'login_uri'];
export const USER_COLUMNS = ['username', 'user', 'login', 'account', 'login_username'];
export const PASSWORD_COLUMNS = ['password', 'login_password'];
export const NOTE_COLUMNS = ['note', 'notes', 'comment', 'comments'];
