/**
 * Playwright's own list, which this one replaces, and the two pages of suggestions that Chromium prepares for every window with
 * two processes and more computing time than most of the tested pages.
 */
const FEATURES_OFF = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];
/** The flags with which tests and measurements start Chromium. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  // Nothing is drawn by a GPU, so a process for it would only receive and pass on messages.
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${FEATURES_OFF.join()}`,
];
