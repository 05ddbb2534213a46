/**
 * Today's names of time zones for which browsers and Node.js still use an earlier one (IANA time zone database, `backward`).
 */
const TODAYS_NAMES: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** The name of a time zone that people use today: Asia/Kolkata for Asia/Calcutta. */
export function todaysZoneName(zone: string): string {
  return TODAYS_NAMES[zone] ?? zone;
}

/** The earlier name of a time zone, if it had one. */
export function findEarlierZoneName(zone: string): string | null {
  return Object.keys(TODAYS_NAMES).find((earlier) => TODAYS_NAMES[earlier] === zone) ?? null;
}

/** Today's name of a time zone that this runtime has, under any of its names; otherwise null. */
export function findTimeZone(name: string | undefined): string | null {
  if (name === undefined || name === '') return null;
  try {
    return todaysZoneName(new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return null;
  }
}
