import { LAST_WEEKLY } from './bank-files.ts';
import type { Conversation } from './conversation.ts';

/** The conversations of cases 10 and later. */
export const LATER_CONVERSATIONS: readonly Conversation[] = [
  {
    of: 10,
    subject: 'Taking a break',
    members: ['parent', 'parent2'],
    days: 64,
    lines: [
      ['parent', 'We need some time. Nobody did anything wrong, it’s just quiet here. Can the account simply wait?'],
      [
        'specialist',
        'Of course. I’ve put the case on hold. Nothing is due while it is, and your money stays where it is. Write whenever you like, or not at all.',
        3,
      ],
      ['parent2', 'Thank you for how you said that.', 20],
    ],
  },
  {
    of: 11,
    subject: 'She’s here',
    members: ['parent', 'parent2', 'surrogate', 'manager'],
    days: 31.5,
    lines: [
      ['parent', 'Her name is June. 7 pounds 4, a lot of hair, and opinions. Jocelyn is resting and says hello.'],
      ['manager', 'I’m crying at my desk. Welcome, June!', 0.5],
      ['surrogate', 'She has her dads’ timing: two hours late and perfectly dressed.', 24],
      ['specialist', 'Congratulations to all of you. Nothing about money today.', 25],
    ],
  },
  {
    of: 11,
    subject: 'Closing the account',
    members: ['parent'],
    days: 2.2,
    unread: 1,
    lines: [
      [
        'specialist',
        'Patrick, once the last co-pay is in, I’ll close the account and send back what is left. Are there any bills you’re still waiting for?',
      ],
      ['parent', 'Only the hospital’s, and they say two more weeks. Can you wait for it?', 30],
    ],
  },
  {
    of: 12,
    subject: 'The last statement',
    members: ['parent'],
    days: 105.8,
    isClosed: true,
    lines: [
      [
        'specialist',
        'Amelia, the account is closed and the rest is on its way back to you. You’ll find the statement of the whole case under its documents.',
      ],
      [
        'parent',
        'It’s strange to say goodbye to an escrow account, but here we are. Thank you, Elena. Theo is asleep on me, or I’d write more.',
        6,
      ],
    ],
  },
  {
    of: 13,
    subject: 'What does escrow cost us?',
    members: ['parent'],
    days: 1.7,
    unread: 1,
    lines: [['parent', 'Priscilla said you’d explain the fees better than she could. Do we pay by month or by payment?']],
  },
  {
    of: 14,
    subject: 'First deposit',
    members: ['parent', 'parent2'],
    days: 5.5,
    unread: 1,
    lines: [
      [
        'specialist',
        'The contract is signed by everybody. As soon as the first deposit is here, Kelsey’s screening costs can be paid.',
      ],
      ['parent2', 'Our bank wants to know who you are, in writing, with a stamp. Do you have such a thing?', 28],
    ],
  },
  {
    of: 15,
    subject: 'It worked!',
    members: ['parent', 'parent2', 'surrogate'],
    days: 2.6,
    lines: [
      ['surrogate', 'Second blood test is in, and the number more than doubled. You’re going to be dads.'],
      ['parent', 'We told nobody and then we told everybody.', 0.7],
      ['parent2', 'Including the man at the hardware store.', 0.8],
    ],
  },
  {
    of: 16,
    subject: 'Sitter receipt',
    members: ['surrogate'],
    days: LAST_WEEKLY - 2.8,
    unread: 1,
    lines: [
      ['specialist', 'Vanessa, the payment for your sitter has come back from your bank. Did you change accounts?'],
      ['surrogate', 'I did, I moved to the credit union! Where do I enter the new one?', 50],
      [
        'specialist',
        'Under your profile, “Bank account”. For safety a new account rests for two days, then I send the payment again.',
        52,
      ],
      ['surrogate', 'Entered. Could you check that it’s complete?', 70],
    ],
  },
  {
    of: 17,
    subject: 'Birth plan and bookings',
    members: ['parent', 'parent2', 'surrogate', 'manager'],
    days: 13,
    lines: [
      ['manager', 'Seven weeks to go. Yara and Elias fly in a week before; Christine’s mother takes over at home from then on.'],
      ['parent', 'We’ve booked the apartment near the hospital. It has a crib, which made it very real.', 10],
      ['surrogate', 'Everything is packed except for me.', 26],
    ],
    file: { line: 1, kind: 'booking' },
  },
  {
    of: 20,
    subject: 'Recovery payment',
    members: ['surrogate'],
    days: 10,
    lines: [
      ['surrogate', 'The recovery payment is in. I slept nine hours last night, that’s news, too.'],
      ['specialist', 'Both make me happy. Take care of yourself, Shannon.', 3],
    ],
  },
  {
    of: 21,
    subject: 'Compression socks',
    members: ['surrogate'],
    days: 0.6,
    unread: 1,
    lines: [
      ['surrogate', 'My doctor wants me in these socks for the flight. Is that medical or clothing? I put it under medical.'],
    ],
  },
  {
    of: 22,
    subject: 'Weekend trip',
    members: ['surrogate'],
    days: 10.5,
    lines: [
      ['surrogate', 'I see that Susanna said no to the lake weekend. That’s fair, I wasn’t sure either.'],
      [
        'specialist',
        'Thank you for taking it so kindly. Trips to appointments are always covered, you never have to be unsure about those.',
        4,
      ],
    ],
  },
  {
    of: 24,
    subject: 'Questions before we wire',
    members: ['parent'],
    days: 0.5,
    unread: 1,
    lines: [
      [
        'parent',
        'Hello Grace, two questions before we send the deposit: is the account insured, and who besides you can move the money?',
      ],
    ],
  },
  {
    of: 27,
    subject: 'More visits from now on',
    members: ['surrogate', 'manager'],
    days: 4.8,
    unread: 1,
    lines: [
      ['surrogate', 'From now on it’s every two weeks, 53 miles each way. Shall I enter the miles each time or once a month?'],
      ['manager', 'Once a month is easier for everybody, and please note the dates.', 2],
      ['surrogate', 'Will do. And the hours off work separately?', 74],
    ],
  },
  {
    of: 28,
    subject: 'Has anybody seen our papers?',
    members: ['parent'],
    days: 2.9,
    unread: 1,
    lines: [
      ['parent', 'We uploaded our questionnaire last week and haven’t heard back. Is somebody looking after our case already?'],
    ],
  },
  {
    of: 31,
    subject: 'Grandparents would like to help',
    members: ['parent', 'parent2'],
    days: 7.4,
    lines: [
      ['parent', 'My parents want to pay a part of the deposit. Can they wire it to the account directly?'],
      [
        'specialist',
        'It has to come from an account in your name, I’m afraid. They can send it to you, and you to us. That’s sweet of them.',
        3,
      ],
    ],
  },
];
