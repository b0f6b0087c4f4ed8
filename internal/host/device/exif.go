package device

import (
	"bytes"
	"encoding/binary"
)

// orientation is how a JPEG says that it must be turned, 1 where it does not:
// cameras keep a picture as the sensor lay, and note the rest in EXIF.
func orientation(picture []byte) int {
	tiff := exif(picture)
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := uint64(order.Uint16(tiff[at:]))
	for i := range entries {
		entry := at + 2 + i*12
		if entry+12 > uint64(len(tiff)) {
			return 1
		}
		const orientationTag, short = 0x0112, 3
		if order.Uint16(tiff[entry:]) != orientationTag || order.Uint16(tiff[entry+2:]) != short {
			continue
		}
		if turn := order.Uint16(tiff[entry+8:]); turn >= 1 && turn <= 8 {
			return int(turn)
		}
	}
	return 1
}

// exif is the TIFF structure in a JPEG's first EXIF segment, nil without one.
func exif(picture []byte) []byte {
	if len(picture) < 4 || picture[0] != 0xff || picture[1] != 0xd8 {
		return nil
	}
	const application1, scan = 0xe1, 0xda
	for rest := picture[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != scan; {
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < 2 || 2+length > len(rest) {
			return nil
		}
		segment := rest[4 : 2+length]
		if tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && rest[1] == application1 {
			return tiff
		}
		rest = rest[2+length:]
	}
	return nil
}
