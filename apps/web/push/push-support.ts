/** The properties that decide whether this browser can show notifications. */
export interface PushEnvironment {
  userAgent: string;
  touchPoints: number;
  /** True if it was opened from the home screen and not in a browser's tab. */
  standalone: boolean;
  hasPush: boolean;
  permission: NotificationPermission;
}

export type PushSupport = 'unsupported' | 'needs_home_screen' | 'denied' | 'available';

/** Says whether notifications can be turned on here, or else the obstacle. */
export function pushSupport(environment: PushEnvironment): PushSupport {
  if (!environment.hasPush) return isApple(environment) && !environment.standalone ? 'needs_home_screen' : 'unsupported';
  return environment.permission === 'denied' ? 'denied' : 'available';
}

/** iPhones and iPads show notifications only for apps on the home screen. An iPad reports itself as a Mac with touch points. */
function isApple({ userAgent, touchPoints }: PushEnvironment): boolean {
  return /\b(iPhone|iPad|iPod)\b/.test(userAgent) || (/\bMacintosh\b/.test(userAgent) && touchPoints > 1);
}

export function readPushEnvironment(): PushEnvironment {
  const hasPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return {
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
    standalone: matchMedia('(display-mode: standalone)').matches,
    hasPush,
    permission: hasPush ? Notification.permission : 'default',
  };
}
