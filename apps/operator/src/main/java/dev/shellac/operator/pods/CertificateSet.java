package dev.shellac.operator.pods;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The certificates that pods are to have.
 *
 * @param hash of all of them, as a pod says it when it serves with them
 * @param files the hash of each
 */
public record CertificateSet(String hash, SortedMap<String, String> files) {
    public CertificateSet {
        files = new TreeMap<>(files);
    }
}
