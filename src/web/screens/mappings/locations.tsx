import { MappingScreen } from './mapping-screen.tsx';

/** Maps PSA lines of business to QuickBooks locations. */
export const Component = () => (
  <MappingScreen
    title="Locations"
    lead={(psa) =>
      `${psa} lines of business are mapped to QuickBooks locations. Turn on location tracking in QuickBooks, and set “Location of documents” in Settings to “By line of business”.`
    }
    what="location mappings"
    tabs={[{ key: 'Location', label: 'Locations' }]}
  />
);
