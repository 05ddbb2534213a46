/** What decides whether this browser can show notifications. */
export interface PushEnvironment {
  userAgent: string;
  touchPoints: number;
  /** Opened from the home screen, not in a browser's tab. */
  standalone: boolean;
  hasPush: boolean;
  permission: NotificationPermission;
}

export type PushSupport = 'unsupported' | 'needs_home_screen' | 'denied' | 'available';

/** Whether notifications can be turned on here, and if not, what is in the way. */
export function pushSupport(environment: PushEnvironment): PushSupport {
  if (!environment.hasPush)
    return isApple(environment) && !environment.standalone ? 'needs_home_screen' : 'unsupported';
  return environment.permission === 'denied' ? 'denied' : 'available';
}

/** iPhones and iPads give notifications to what was added to the home screen only. An iPad calls itself a Mac that is touched. */
function isApple({ userAgent, touchPoints }: PushEnvironment): boolean {
  return /\b(iPhone|iPad|iPod)\b/.test(userAgent) || (/\bMacintosh\b/.test(userAgent) && touchPoints > 1);
}

/** The browser that this runs in. */
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
