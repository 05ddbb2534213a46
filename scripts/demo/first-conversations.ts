import { LAST_WEEKLY } from './bank-files.ts';
import type { Conversation } from './conversation.ts';

/** The conversations of cases 1 to 9. */
export const FIRST_CONVERSATIONS: readonly Conversation[] = [
  {
    of: 1,
    subject: 'Signed escrow agreement',
    members: ['parent'],
    days: 194.8,
    isClosed: true,
    lines: [
      ['parent', 'Hi Elena, here is the agreement with both our signatures. Is there anything else you need from us?'],
      [
        'specialist',
        'Thank you, Paige, that’s everything. I’ve filed it with the case. Your account opens as soon as the first deposit is in, and I’ll write to you that day.',
        2.5,
      ],
      ['parent', 'Wonderful. The wire goes out this afternoon.', 3],
      [
        'specialist',
        'It arrived this morning, and the account is open. You’ll see every payment on the case’s statement from now on.',
        22,
      ],
    ],
    file: { line: 0, kind: 'agreement' },
  },
  {
    of: 1,
    subject: 'Transfer day: who needs what',
    members: ['parent', 'parent2', 'surrogate', 'manager'],
    days: 128,
    lines: [
      [
        'specialist',
        'The clinic has confirmed the transfer. Travel is paid in advance, so please send me your bookings here by Friday.',
      ],
      ['manager', 'I’ve booked Sarah’s hotel for two nights, right across from the clinic. The confirmation is attached.', 3],
      ['surrogate', 'Thank you, Megan! My sister is taking the kids. I feel very looked after.', 5],
      ['parent2', 'We get in the evening before. Dinner is on us, if you’re up for it.', 8],
      ['surrogate', 'Very much up for it.', 9],
    ],
    file: { line: 1, kind: 'booking' },
  },
  {
    of: 1,
    subject: 'A heartbeat',
    members: ['parent', 'parent2', 'surrogate'],
    days: 88,
    lines: [
      [
        'surrogate',
        '162 beats a minute. I cried a little, the nurse cried a little, it was a whole thing. The picture is on its way to you.',
      ],
      [
        'parent',
        'We’re sitting in the car outside the office because neither of us can walk in there like this. Thank you, Sarah.',
        1,
      ],
      ['parent2', 'What she said.', 1.2],
    ],
  },
  {
    of: 1,
    subject: 'Maternity clothing',
    members: ['surrogate'],
    days: 3.2,
    unread: 1,
    lines: [
      [
        'surrogate',
        'Hi Elena! My coat doesn’t close anymore, so I bought a new one and two pairs of jeans. Can I just send the receipt here, or is there a form?',
      ],
      [
        'specialist',
        'Here is fine, and congratulations on outgrowing it. I’ve read the receipt: please also enter it as a request, so that Paige can approve it. It goes a little over what the contract allows for clothing; that’s her call.',
        3,
      ],
      ['surrogate', 'Done! When would it reach my account?', 69],
    ],
    file: { line: 0, kind: 'receipt' },
  },
  {
    of: 1,
    subject: 'Anatomy scan on Thursday',
    members: ['parent', 'surrogate'],
    days: 1.4,
    lines: [
      ['surrogate', 'The scan is Thursday at ten. You’re welcome to join by video, the tech said she’ll turn the screen.'],
      ['parent', 'We’ll both be there, snacks and all. Do you want us to keep quiet about what it is?', 1],
      ['surrogate', 'You get to decide, I’m just the bus. But yes, I want to be there when you find out.', 2],
    ],
  },
  {
    of: 1,
    subject: 'Deposit for the last months',
    members: ['parent'],
    days: 0.9,
    unread: 1,
    lines: [
      [
        'parent',
        'Hi Elena, the case page says that we’ll run a bit short in a few months. How much should we wire, and by when?',
      ],
      [
        'specialist',
        'Good eye. The last part of the compensation falls there. If you wire the amount on the page any time in the next two months, nobody will notice a thing.',
        4,
      ],
    ],
  },
  {
    of: 2,
    subject: 'Monthly statement',
    members: ['parent'],
    days: 0.4,
    unread: 1,
    lines: [
      ['parent', 'Hello Elena, could you send me the statement for last month? My sister and I do our books together on Sunday.'],
    ],
  },
  {
    of: 2,
    subject: 'Same mailbox, two of us',
    members: ['parent'],
    days: 90,
    lines: [
      ['parent', 'Camila and I share this address, as half of our family does. Is that a problem?'],
      [
        'specialist',
        'Not at all, each of you signs in with your own password. Because you’re counted as one household, somebody here approves the payments instead of you.',
        5,
      ],
    ],
  },
  {
    of: 3,
    subject: 'Who looks after our case?',
    members: ['surrogate'],
    days: 0.8,
    unread: 1,
    lines: [['surrogate', 'Hi, I haven’t heard who our escrow specialist is yet. Whom can I ask about travel costs?']],
  },
  {
    of: 4,
    subject: 'Welcome, and what comes next',
    members: ['parent', 'parent2'],
    days: 3.6,
    lines: [
      [
        'specialist',
        'Welcome, Claire and Sean! Megan tells me that you’re still choosing a surrogate. There’s nothing to pay until you’ve both signed; I’ll walk you through the account then.',
      ],
      ['parent', 'Thank you, that’s a relief. We have a first video call on Tuesday and we’re terrified.', 20],
      ['specialist', 'Everybody is. Ask about ordinary things first, it helps.', 22],
    ],
  },
  {
    of: 5,
    subject: 'Screening appointments',
    members: ['surrogate', 'manager'],
    days: 6,
    unread: 1,
    lines: [
      ['manager', 'Brianna, the clinic can see you on Tuesday or Thursday. Which is easier with work?'],
      ['surrogate', 'Thursday, please. Do I keep track of my miles from now on?', 5],
    ],
  },
  {
    of: 6,
    subject: 'Our wire',
    members: ['parent'],
    days: 1.1,
    unread: 1,
    lines: [
      [
        'specialist',
        'The contract is fully signed, so the account is ready for your first deposit. The wire instructions are with the agreement. Please call the number you know from us before you send it, never one from an email.',
      ],
      ['parent', 'Called, checked, sent. It should be with you today.', 18],
    ],
  },
  {
    of: 7,
    subject: 'Medications arrived',
    members: ['surrogate'],
    days: 9,
    lines: [
      ['surrogate', 'The box from the pharmacy is here. It’s the size of a microwave. Is the co-pay mine?'],
      [
        'specialist',
        'No, please send the bill as a request and Lucia will approve it. Good luck with the first injection tonight!',
        2,
      ],
      ['surrogate', 'My husband did it and looked away. We’re fine.', 26],
    ],
  },
  {
    of: 7,
    subject: 'Proof of funds for the clinic',
    members: ['parent'],
    days: 24,
    isClosed: true,
    lines: [
      [
        'parent',
        'The clinic wants to see that the money is there before they put us on the calendar. Can you write them something?',
      ],
      [
        'specialist',
        'You can do it yourself in a minute: open your case and choose “Proof of funds”. The PDF has a code that the clinic can check, without seeing your names.',
        1.5,
      ],
      ['parent', 'They took it without a question. That was almost too easy.', 27],
    ],
  },
  {
    of: 8,
    subject: 'A late lab bill',
    members: ['surrogate'],
    days: 6.4,
    unread: 1,
    lines: [
      [
        'surrogate',
        'I got a bill from a lab I’d never heard of. Apparently the clinic’s own lab was closed that day. I entered it as a request, I hope that’s right.',
      ],
      ['specialist', 'That’s exactly right. Wesley has it now.', 4],
      ['surrogate', 'The lab called again today. Has he had a chance to look?', 140],
    ],
  },
  {
    of: 8,
    subject: 'Funds for the last months',
    members: ['parent', 'parent2'],
    days: 11,
    lines: [
      [
        'specialist',
        'Wesley, Tara, a heads-up with plenty of time: as planned, the account falls short in a few months. The case page shows the month and the amount.',
      ],
      ['parent2', 'We’re selling the camper. Would a few weeks from now be all right?', 30],
      ['specialist', 'That’s plenty of time. Farewell to the camper.', 33],
    ],
  },
  {
    of: 9,
    subject: 'Cardiac scan: all good',
    members: ['parent', 'parent2', 'surrogate', 'manager'],
    days: 33,
    lines: [
      ['surrogate', 'Four chambers, all where they belong. The doctor said “boring”, which I hear is the best word there is.'],
      ['parent', 'Boring! We’ve never been so happy about a word. Thank you for driving all that way.', 0.6],
      ['manager', 'Abigail, please send the hotel receipt when you’re home and rested. Not before.', 2],
    ],
  },
  {
    of: 9,
    subject: 'Payment came back',
    members: ['surrogate'],
    days: LAST_WEEKLY - 2.8,
    lines: [
      [
        'specialist',
        'Abigail, your bank has sent back the payment for the hotel: it couldn’t find the account. Could you read me the number from a check?',
      ],
      ['surrogate', 'Two digits the wrong way around, my fault. I’ve called you with the right ones.', 8],
      ['specialist', 'Thank you, they match. It goes out again with the next file; you don’t have to do anything.', 60],
    ],
  },
  {
    of: 1,
    subject: 'How Fernhill’s cases are doing',
    members: ['owner', 'manager'],
    days: 2.4,
    unread: 1,
    lines: [
      ['owner', 'Elena, before our board meets: is anything with our cases waiting for us rather than for the parents?'],
      [
        'specialist',
        'Very little. One family’s first wire came today, one account falls short in some months, and both know. Your home page lists what has waited longest.',
        5,
      ],
      ['owner', 'That’s the page I’ll show them, then. Thank you.', 26],
    ],
  },
];
