import { CompanyMappings } from './companies.tsx';

/** Vendor Mappings. */
export const Component = () => <CompanyMappings namespace="Vendor" />;
