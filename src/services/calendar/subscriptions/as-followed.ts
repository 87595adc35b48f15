import {
  propertiesOf,
  propertyOf,
  textOf,
  valuesOf,
  valueText,
  withProperties,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';

/** Some servers write the moment of the answer into each event, which would be another one each time. */
const UNKNOWN_STAMP = '1970-01-01T00:00:00Z';

/** An event from elsewhere as a calendar keeps it: nobody is reminded of it, and holidays take no time. */
export function asFollowed([kind, properties, components]: JcalComponent): JcalComponent {
  return [kind, properties, components.map((one) => (one[0] === 'vevent' ? followedEvent(one) : one))];
}

function followedEvent(event: JcalComponent): JcalComponent {
  const written = propertyOf(event, 'last-modified') ?? propertyOf(event, 'created');
  const stamp: JcalProperty = ['dtstamp', {}, 'date-time', written === undefined ? UNKNOWN_STAMP : textOf(written)];
  const [name, properties, components] = withProperties(event, ['dtstamp'], [stamp]);
  const isFree = propertyOf(event, 'transp') === undefined && isHoliday(event);
  return [
    name,
    isFree ? [...properties, ['transp', {}, 'text', 'TRANSPARENT']] : properties,
    components.filter(([inner]) => inner !== 'valarm'),
  ];
}

/** A whole day that its calendar calls a holiday. */
function isHoliday(event: JcalComponent): boolean {
  if (propertyOf(event, 'dtstart')?.[2] !== 'date') return false;
  return propertiesOf(event, 'categories')
    .flatMap((property) => valuesOf(property).map(valueText))
    .some((category) => /\bholidays?\b/i.test(category));
}
