const EVERY_INTERFACE = ['127.0.0.1', '0.0.0.0', '::'];

/**
 * The host at which this machine reaches processes that listen on HOST, as it is written in an address. `localhost` where that is
 * the same, because browsers trust it without https; on some machines it is IPv4 only, so `::1` stays (SETTING-5).
 * @param {string} host
 * @returns {string}
 */
export function ownHost(host) {
  if (EVERY_INTERFACE.includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
